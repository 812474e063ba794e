cp reports/report-2024-02-09.txt latest.txt

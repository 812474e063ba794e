awk -F, 'NR > 1 {s += $3} END {print s}' expenses.csv

awk -F, '$3=="Alpha"{s+=$4} END{print s}' timesheet.csv

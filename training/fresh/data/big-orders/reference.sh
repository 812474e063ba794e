awk -F, 'NR==1 || $3>100' orders.csv > big-orders.csv

awk -F, 'NR>1{s+=$2;n++}END{print s/n}' plants.csv > average.txt

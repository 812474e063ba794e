awk -F, 'NR==1||$3=="Graz"' customers.csv > graz.csv

tail -n +2 pets.csv | cut -d, -f2 | sort | uniq -c | awk '{print $2": "$1}' > kinds.txt

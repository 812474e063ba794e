grep -c ',Leeds,' members.csv

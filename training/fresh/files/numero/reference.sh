sed -i 's/01 44 55 66 77/06 12 34 56 78/g' contact.txt

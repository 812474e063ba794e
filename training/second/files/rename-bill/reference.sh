mv scan0017.txt 'gas bill march.txt'

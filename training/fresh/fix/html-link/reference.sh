sed -i 's/contakt/contact/' index.html

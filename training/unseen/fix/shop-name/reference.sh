sed -i 's/totl/total/' shop.py

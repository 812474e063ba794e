sed -i '/^Soup/s/4.80/5.50/' menu.txt

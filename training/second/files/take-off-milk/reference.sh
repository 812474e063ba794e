sed -i '/^milk$/d' shopping.txt

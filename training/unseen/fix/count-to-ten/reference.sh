sed -i 's/range(1, 10)/range(1, 11)/' count.py

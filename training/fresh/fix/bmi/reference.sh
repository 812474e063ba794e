sed -i 's/height \* height/(height * height)/' bmi.py

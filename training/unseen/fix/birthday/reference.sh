sed -i 's/+ next_age +/+ str(next_age) +/' birthday.py

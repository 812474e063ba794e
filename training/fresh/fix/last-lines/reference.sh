sed -i 's/-3:-1/-3:/' last3.py

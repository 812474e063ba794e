sed -i 's/numbers\[name\]/numbers.get(name, "not found")/' phone.py

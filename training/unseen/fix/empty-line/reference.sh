sed -i 's/^        total += int(line)/        if line.strip():\n            total += int(line)/' total.py

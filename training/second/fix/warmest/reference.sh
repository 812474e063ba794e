sed -i 's/best = 0/best = float("-inf")/' warmest.py

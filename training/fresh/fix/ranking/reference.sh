sed -i 's/sort()/sort(reverse=True)/' ranking.py

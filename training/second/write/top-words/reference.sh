cat > words.py <<'E'
from collections import Counter
for w, n in Counter(open('speech.txt').read().split()).most_common(3):
    print(w, n)
E

python3 - <<'E'
import csv, json
with open('songs.csv', 'w', newline='', encoding='utf-8') as out:
    w = csv.writer(out)
    w.writerow(['title', 'artist', 'year'])
    for s in json.load(open('songs.json', encoding='utf-8')):
        w.writerow([s['title'], s['artist'], s['year']])
E

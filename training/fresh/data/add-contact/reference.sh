python3 - <<'E'
import json
d = json.load(open('contacts.json'))
d.append({'name': 'Nora', 'mail': 'nora@example.org'})
json.dump(d, open('contacts.json', 'w'), indent=2)
E

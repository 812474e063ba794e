counts = {}
for line in open("votes.txt"):
    title = line.strip()
    counts[title] += 1

for title in sorted(counts):
    print(title, counts[title])

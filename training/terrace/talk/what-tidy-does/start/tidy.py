import sys

path = sys.argv[1]
seen = set()
kept = []
with open(path) as f:
    for line in f:
        if line not in seen:
            seen.add(line)
            kept.append(line)
with open(path, "w") as f:
    f.writelines(kept)

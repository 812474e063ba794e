import sys

scores = []
with open(sys.argv[1]) as file:
    for line in file:
        if line.strip():
            scores.append(float(line))

average = sum(scores) / len(scores)
print(round(average, 1))

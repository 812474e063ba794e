scores = [float(line) for line in open("scores.txt") if line.strip()]
print("Average:", sum(scores) / len(scores))

import sys


def count_votes(path):
    votes = {}
    with open(path) as f:
        for line in f:
            snack = line.strip()
            if not snack:
                continue
            if snack not in votes:
                votes[snack] = 0
            votes[snack] = 1
    return votes


votes = count_votes(sys.argv[1])
for snack in sorted(votes):
    print(f"{snack}: {votes[snack]}")

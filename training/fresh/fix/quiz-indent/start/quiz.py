score = 0

answer = input("Capital of Italy? ")
if answer.lower() == "rome":
score += 1

answer = input("Legs of a spider? ")
if answer == "8":
    score += 1

print(score, "of 2")

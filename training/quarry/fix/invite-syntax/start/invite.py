import sys

if len(sys.argv) > 1
    name = sys.argv[1]
else:
    name = "friend"

print(f"Dear {name}, see you at the ball!"

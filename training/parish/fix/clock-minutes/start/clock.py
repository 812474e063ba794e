import sys

minutes = int(sys.argv[1])
print(f"{minutes // 60}:{minutes % 60}")

cat > reverse.py <<'END'
print(input()[::-1])
END

cat > guess.py <<'END'
while True:
    n = int(input('Your guess: '))
    if n < 42:
        print('higher')
    elif n > 42:
        print('lower')
    else:
        print('Correct!')
        break
END

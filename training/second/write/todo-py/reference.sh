cat > todo.py <<'E'
import sys, os
if sys.argv[1] == 'add':
    open('todo.txt', 'a').write(sys.argv[2] + '\n')
elif os.path.exists('todo.txt'):
    print(open('todo.txt').read(), end='')
E

sed -i '5s/^/    /' quiz.py

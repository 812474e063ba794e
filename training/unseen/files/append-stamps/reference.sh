echo 'Buy stamps' >> todo.txt

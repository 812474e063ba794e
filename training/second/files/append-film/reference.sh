echo 'The Third Man' >> 'films to watch.txt'

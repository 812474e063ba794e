sed -i 's/in f$/in f:/' hello.py

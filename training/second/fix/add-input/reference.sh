sed -i 's/= input(\(.*\))$/= int(input(\1))/' add.py

sed -i 's/<= len/< len/' playlist.py

wc -l < guestlist.txt

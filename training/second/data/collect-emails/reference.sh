grep -oE '[A-Za-z0-9._-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+' letters.txt | sort -u > emails.txt

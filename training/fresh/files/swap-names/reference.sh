mv front.txt x && mv back.txt front.txt && mv x back.txt

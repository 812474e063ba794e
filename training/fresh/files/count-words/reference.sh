wc -w < essay.txt

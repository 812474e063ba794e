cat chapter1.txt chapter2.txt chapter3.txt > book.txt

sed -i 's/Monday/Thursday/g' letter.txt

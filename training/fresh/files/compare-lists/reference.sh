comm -3 <(sort packing-anna.txt) <(sort packing-ben.txt)

sed -i 's/sort()/sort((a, b) => a - b)/' sort.js

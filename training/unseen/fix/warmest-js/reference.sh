sed -i 's/let warmest = 0/let warmest = temperatures[0]/' warmest.js

tail -n +2 precios.csv | sort -t, -k2 -rn | head -3

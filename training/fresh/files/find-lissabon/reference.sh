grep -l Lissabon *

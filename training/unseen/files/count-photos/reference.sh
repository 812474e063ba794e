find photos -name '*.jpg' | wc -l

mv essay_finl.txt essay_final.txt

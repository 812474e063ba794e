mkdir Pictures Texts
mv *.jpg *.png Pictures/
mv *.txt Texts/

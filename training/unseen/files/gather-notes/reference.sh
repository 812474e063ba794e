mkdir all-notes
find school work home -name '*.txt' -exec cp {} all-notes/ \;

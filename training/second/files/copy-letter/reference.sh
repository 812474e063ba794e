cp letter.txt letter-backup.txt

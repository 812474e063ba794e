printf 'Call Mum on Sunday at 5' > reminder.txt

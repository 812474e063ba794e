mv 'My Holiday Plan.txt' 'Trips and Tours/'

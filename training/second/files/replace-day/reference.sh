sed -i 's/Tuesday/Thursday/g' invitation.txt

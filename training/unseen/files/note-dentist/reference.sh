echo 'Appointment on Friday at 10:30' > dentist.txt

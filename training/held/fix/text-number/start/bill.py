sum_due = 88
print('You owe ' + sum_due)

grep '^14:' door.log > afternoon.log

grep ERROR server.log > errors.txt

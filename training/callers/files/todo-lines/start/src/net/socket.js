connect();

echo saving

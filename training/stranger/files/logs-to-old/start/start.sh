echo starting

// TODO retry
// TODO timeout
fetch('/api');
// TODO cache

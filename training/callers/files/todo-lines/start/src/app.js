// TODO load settings
start();
// TODO stop nicely

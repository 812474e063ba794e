sed -i 's|/ 2;|/ 2.0;|' mean.c

cat > sum.c <<'E'
#include <stdio.h>
#include <stdlib.h>
int main(int n, char **a) { printf("%d\n", atoi(a[1]) + atoi(a[2])); return 0; }
E

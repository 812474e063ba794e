#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int a = atoi(argv[1]);
    int b = atoi(argv[2]);
    double mean = (a + b) / 2;
    printf("%.2f\n", mean);
    return 0;
}

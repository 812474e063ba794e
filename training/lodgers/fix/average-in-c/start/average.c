#include <stdio.h>
#include <stdlib.h>

int main(int argc, char *argv[])
{
    int total = 0;
    int count = argc - 1;

    for (int i = 1; i < argc; i++) {
        total += atoi(argv[i]);
    }

    double average = total / count;
    printf("Average: %.2f\n", average);
    return 0;
}

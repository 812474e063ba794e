cat > countdown.c <<'END'
#include <stdio.h>
int main(void) {
    for (int i = 10; i > 0; i--) printf("%d\n", i);
    puts("Liftoff!");
    return 0;
}
END

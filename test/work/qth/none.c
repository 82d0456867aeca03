/* none.c - a program without the library: nothing is traced, and nothing said */
#include <stdio.h>

int main(void)
{
	printf("nothing here\n");
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* serial.c - a program without any runtime. */
#include <stdio.h>

int main(void)
{
	puts("serial");
	return 3;
}

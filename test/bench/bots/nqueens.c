/* SPDX-License-Identifier: MIT */
/* nqueens.c - how many ways there are to place N queens; a task for each of the first CUT_OFF. */
#define PORT_SIZE 13
#define PORT_SMALL 7
#define CUT_OFF 3
#include "test/port/nqueens.c"

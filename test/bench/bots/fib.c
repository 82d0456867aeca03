/* SPDX-License-Identifier: MIT */
/* fib.c - Fibonacci's numbers, with tasks for the first CUT_OFF calls of the recursion. */
#define PORT_SIZE 42
#define PORT_SMALL 20
#define CUT_OFF 10
#include "test/port/fib.c"

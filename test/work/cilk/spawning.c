// SPDX-License-Identifier: MIT
// part-of: plugin.c
#include "fib.h"

long spawning(long n);

long spawning(long n)
{
	return fib(n);
}

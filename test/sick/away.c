/* SPDX-License-Identifier: MIT */
/*
 * away.c - a queue of a bounded length is full, so the task that creates the others runs some
 * itself, also long ones.  FIXED: the long ones are created first.
 */
#include "spin.h"

#define TILES 2700
#define LONG 8	  /* of them */
#define FIRST 300 /* the first long one, when the queue has been filled */
#define EVERY 300 /* more than a queue of libomp takes: it is full again */
#define BLANK 3   /* tiles before each long one, so that it finds the queue full for sure */

static unsigned tile_us(int i)
{
#ifdef FIXED
	return i < LONG ? 50000 : 50;
#else
	int at = i - FIRST + BLANK;

	if (at < 0 || at / EVERY >= LONG || at % EVERY > BLANK)
		return 50;
	return at % EVERY == BLANK ? 50000 : 0;
#endif
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < TILES; i++) {
#pragma omp task
		spin_us(tile_us(i));
	}
	return 0;
}

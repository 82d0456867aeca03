/* SPDX-License-Identifier: MIT */
/* mth_mutex.c - fills a histogram under a mutex of MassiveThreads.  FIXED: one for each task. */
#include <myth/myth.h>
#include <stddef.h>

#include "spin.h"

#define ROWS 80

static myth_mutex_t histogram = MYTH_MUTEX_INITIALIZER;

static void *scan(void *arg)
{
	spin_us(500);
#ifndef FIXED
	myth_mutex_lock(&histogram);
#endif
	spin_us(2500);
#ifndef FIXED
	myth_mutex_unlock(&histogram);
#endif
	return arg;
}

int main(void)
{
	myth_thread_t thread[ROWS];

	for (int i = 0; i < ROWS; i++)
		thread[i] = myth_create(scan, NULL);
	for (int i = 0; i < ROWS; i++)
		myth_join(thread[i], NULL);
	return 0;
}

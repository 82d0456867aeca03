/* SPDX-License-Identifier: MIT */
/* exit() while the others come, all the time, to calls that were never made before. */
// status: 3
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int n;

static void count(void)
{
#pragma omp atomic
	n++;
}

/* A task and a taskwait of their own. */
#define PLACE                                                                                      \
	do {                                                                                       \
		_Pragma("omp task") count();                                                       \
		_Pragma("omp task") count();                                                       \
		_Pragma("omp taskwait") for (volatile int i = 0; i < 1000; i++);                   \
	} while (0);
#define PLACES_4 PLACE PLACE PLACE PLACE
#define PLACES_16 PLACES_4 PLACES_4 PLACES_4 PLACES_4
#define PLACES_64 PLACES_16 PLACES_16 PLACES_16 PLACES_16
#define PLACES_256 PLACES_64 PLACES_64 PLACES_64 PLACES_64

int main(void)
{
#pragma omp parallel
	{
#pragma omp master
		{
			printf("in region\n");
			usleep(1500);
			exit(3);
		}
		PLACES_256 PLACES_256
		for (;;)
			usleep(1000);
	}
	return 0;
}

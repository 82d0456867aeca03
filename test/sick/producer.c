/* SPDX-License-Identifier: MIT */
/* producer.c - one task reads and parses records for the others.  FIXED: each parses its own. */
#include "spin.h"

#define RECORDS 150

static void parse(void)
{
	spin_us(2000);
}

static void use(void)
{
#ifdef FIXED
	parse();
#endif
	spin_us(1000);
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < RECORDS; i++) {
#ifndef FIXED
		parse();
#endif
#pragma omp task
		use();
	}
	return 0;
}

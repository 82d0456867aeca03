/* SPDX-License-Identifier: MIT */
/* Another OMPT tool, which keeps a word of each region, while inner regions of four masters end. */
// lib: other_tool_so.c
#include "../counted.h"

#include <omp.h>

void other_tool_program(void *function);

int main(void)
{
	other_tool_program((void *)main);
	counted_begin(2);
	for (int k = 0; k < 100; k++) {
		REGION();
#pragma omp parallel num_threads(4)
		{
			MEMBER();
			counted_pair();
		}
	}
	counted_print();
	return counted_members != 1200;
}

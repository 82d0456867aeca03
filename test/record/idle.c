/* SPDX-License-Identifier: MIT */
/* idle.c - makes no task, but asks the runtime, which LLVM's is set up for. */
#include <omp.h>

int main(void)
{
	return omp_get_max_threads() < 1;
}

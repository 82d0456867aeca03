/* SPDX-License-Identifier: MIT */
/* task detach(..), fulfilled by another task; a dependent task waits for the event, not the body.
 * */
// needs: gcc11 clang
// not-on: gcc-on-libomp
#include <omp.h>
#include <stdio.h>

int main(void)
{
	long n_early = 0, sum = 0;

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 20; i++) {
		omp_event_handle_t e;
		long a = 0, fulfilled = 0;

#pragma omp task detach(e) depend(out : a) shared(a)
		a = i;
#pragma omp task firstprivate(e) shared(fulfilled)
		{
#pragma omp atomic write
			fulfilled = 1;
			omp_fulfill_event(e);
		}
#pragma omp task depend(in : a) shared(a, fulfilled, n_early, sum)
		{
			long f;
#pragma omp atomic read
			f = fulfilled;
			n_early += !f;
			sum += a;
		}
#pragma omp taskwait
	}
	printf("sum %ld early %ld\n", sum, n_early);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 60\n");
	return n_early || sum != 190;
}

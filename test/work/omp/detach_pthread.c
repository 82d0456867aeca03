/* SPDX-License-Identifier: MIT */
/* task detach(..), fulfilled by a plain pthread: during the body, after it, and of an if(0) task
 * whose creator is blocked in GOMP_task. */
// needs: gcc11 clang
// not-on: gcc-on-libomp
// flags: -pthread
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *fulfill(void *arg)
{
	omp_fulfill_event((omp_event_handle_t)arg);
	return NULL;
}

static void *fulfill_later(void *arg)
{
	usleep(2000);
	return fulfill(arg);
}

int main(void)
{
	pthread_t t[9];
	long n = 0, after = 0;

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 9; i++) {
		omp_event_handle_t e;

		if (i % 3 == 0) {
#pragma omp task detach(e) shared(n, t) firstprivate(i) /* done before the body ends */
			{
				pthread_create(&t[i], NULL, fulfill, (void *)e);
				pthread_join(t[i], NULL);
				n++;
			}
		} else if (i % 3 == 1) {
#pragma omp task detach(e) shared(n)
			n++;
			pthread_create(&t[i], NULL, fulfill_later, (void *)e);
		} else {
#pragma omp task detach(e) if (0) shared(n, t) firstprivate(i)
			{
				pthread_create(&t[i], NULL, fulfill_later, (void *)e);
				n++;
			}
		}
#pragma omp taskwait
		if (i % 3)
			pthread_join(t[i], NULL);
		after = after * 10 + n;
	}
	printf("after %ld\n", after);
	printf("tptrace-tasks 9\n");
	return after != 123456789;
}

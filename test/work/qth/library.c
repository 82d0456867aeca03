/* library.c - what the library computes with tasks of its own, also within a loop's body */
#include <qthread/qloop.h>
#include <qthread/qthread.h>
#include <stdio.h>

#define N 300

static aligned_t number[N];

static void body(size_t start, size_t stop, void *arg)
{
	aligned_t sum = qt_uint_sum(number, N, 0);

	for (size_t i = start; i < stop; i++)
		((aligned_t *)arg)[i] = sum;
}

int main(void)
{
	aligned_t sums[5];
	unsigned n_workers, n_bodies;

	qthread_initialize();
	n_workers = qthread_num_workers();
	n_bodies = n_workers < 5 ? n_workers : 5;
	for (aligned_t i = 0; i < N; i++)
		number[i] = i * 17 % 101;
	printf("%lu %lu\n", (unsigned long)qt_uint_sum(number, N, 0),
	       (unsigned long)qt_uint_max(number, N, 1));
	qt_loop_balance(0, 5, body, sums);
	for (int i = 0; i < 5; i++)
		printf("%lu\n", (unsigned long)sums[i]);
	printf("tptrace-edges join=%u\n", 2 * n_workers + n_bodies * (1 + n_workers));
	printf("tptrace-tasks %u\n", 2 * n_workers + n_bodies * (1 + n_workers));
	return 0;
}

/* loopqueue.c - loops whose workers fetch portions: one task a worker */
#include <qthread/qloop.h>
#include <qthread/qthread.h>
#include <stdio.h>

#define N 1000

static aligned_t hits[N];

static void body(size_t start, size_t stop, void *arg)
{
	for (size_t i = start; i < stop; i++)
		qthread_incr(&hits[i], (uintptr_t)arg);
}

int main(void)
{
	static const qt_loop_queue_type types[] = { CHUNK, GUIDED, FACTORED };
	unsigned long sum = 0;
	unsigned n_tasks = 0;

	qthread_initialize();
	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		qqloop_handle_t *queue =
			qt_loop_queue_create(types[i], 0, N, 1, body, (void *)(uintptr_t)(i + 1));

		if (types[i] == CHUNK)
			qt_loop_queue_setchunk(queue, 7);
		qt_loop_queue_run(queue);
		n_tasks += qthread_num_workers();
	}
	for (int i = 0; i < N; i++)
		sum += (i + 1) * hits[i];
	printf("%lu\n", sum);
	printf("tptrace-edges join=%u\n", n_tasks);
	printf("tptrace-tasks %u\n", n_tasks);
	return 0;
}

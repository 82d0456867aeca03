/* loop.c - loops that are a task an iteration: so many more tasks create those */
#include <qthread/qloop.h>

#define N 40
#include "hits.h"

static void blocking(size_t start, size_t stop, void *arg)
{
	for (int i = 0; i < 3; i++)
		qthread_yield();
	body(start, stop, arg);
}

static void sub(size_t start, size_t stop, void *arg)
{
	qt_loop(0, 4, blocking, arg);
}

int main(void)
{
	unsigned n_workers, n_tasks = 0;

	qthread_initialize();
	n_workers = qthread_num_workers();
	void (*const loops[])(size_t, size_t, qt_loop_f, void *) = { qt_loop, qt_loop_simple,
								     qt_loop_dc, qt_loop_sinc };

	for (unsigned i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		for (size_t n = 1; n <= N; n += 13) {
			loops[i](0, n, i == 1 ? body : blocking, (void *)1);
			n_tasks += n + (n < n_workers ? n : n_workers);
		}
	qt_loop(0, 3, sub, (void *)100);
	n_tasks += 3 + (3 < n_workers ? 3 : n_workers) + 3 * (4 + (4 < n_workers ? 4 : n_workers));
	say_hits(n_tasks);
	return 0;
}

/* loopqueue.c - loops whose workers fetch portions: one task a worker */
#include <qthread/qloop.h>

#define N 1000
#include "hits.h"

int main(void)
{
	static const qt_loop_queue_type types[] = { CHUNK, GUIDED, FACTORED };
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
	say_hits(n_tasks);
	return 0;
}

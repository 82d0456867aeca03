/* balance.c - loops that are a task a worker, without and with a result */
#include <qthread/qloop.h>
#include <qthread/qthread.h>
#include <stdio.h>

#define N 50

static aligned_t hits[N];

static void body(size_t start, size_t stop, void *arg)
{
	for (size_t i = start; i < stop; i++)
		qthread_incr(&hits[i], (uintptr_t)arg);
}

static aligned_t task(void *arg)
{
	return (uintptr_t)arg;
}

/* The body waits for tasks of its own. */
static void blocking(size_t start, size_t stop, void *arg)
{
	aligned_t ret;

	qthread_fork(task, arg, &ret);
	qthread_readFF(NULL, &ret);
	body(start, stop, (void *)ret);
}

static void sum(size_t start, size_t stop, void *arg, void *ret)
{
	aligned_t all = 0;

	for (size_t i = start; i < stop; i++)
		all += ((aligned_t *)arg)[i];
	*(aligned_t *)ret = all;
}

int main(void)
{
	unsigned n_workers, n_tasks = 0;
	unsigned long all = 0;
	aligned_t number[N], out;

	qthread_initialize();
	n_workers = qthread_num_workers();
	void (*const loops[])(size_t, size_t, qt_loop_f,
			      void *) = { qt_loop_balance, qt_loop_balance_simple,
					  qt_loop_balance_sv, qt_loop_balance_dc,
					  qt_loop_balance_sinc };

	for (unsigned i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		for (size_t n = 1; n <= N; n += 12) {
			size_t n_bodies = n < n_workers ? n : n_workers;

			loops[i](0, n, i == 1 ? body : blocking, (void *)1);
			n_tasks += n_bodies * (i == 1 ? 1 : 2);
		}
	for (int i = 0; i < N; i++) {
		all += (i + 1) * hits[i];
		number[i] = i * i;
	}
	printf("%lu\n", all);
	qt_loopaccum_balance(0, N, sizeof(out), &out, sum, number, qt_uint_add_acc);
	printf("%lu\n", (unsigned long)out);
	qt_loopaccum_balance_sv(0, N, sizeof(out), &out, sum, number, qt_uint_add_acc);
	printf("%lu\n", (unsigned long)out);
	out = 0;
	qt_loopaccum_balance_sinc(0, N, sizeof(out), &out, sum, number, qt_uint_add_acc);
	printf("%lu\n", (unsigned long)out);
	n_tasks += 3 * n_workers;
	printf("tptrace-edges join=%u\n", n_tasks);
	printf("tptrace-tasks %u\n", n_tasks);
	return 0;
}

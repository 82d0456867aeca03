/* barrier.c - tasks that meet at a barrier, more of them than workers */
#include <qthread/barrier.h>
#include <qthread/qthread.h>
#include <stdio.h>

#define MEMBERS 10
#define ROUNDS 20

static qt_barrier_t *barrier;
static aligned_t round_of[MEMBERS], wrong;

static aligned_t member(void *arg)
{
	uintptr_t me = (uintptr_t)arg;

	for (aligned_t r = 1; r <= ROUNDS; r++) {
		round_of[me] = r;
		if (me % 2)
			qt_barrier_enter(barrier);
		else
			qt_barrier_enter_id(barrier, me);
		for (int i = 0; i < MEMBERS; i++)
			if (round_of[i] != r)
				qthread_incr(&wrong, 1);
		qt_barrier_enter(barrier);
	}
	return me;
}

int main(void)
{
	aligned_t ret[MEMBERS], sum = 0;

	qthread_initialize();
	barrier = qt_barrier_create(MEMBERS, REGION_BARRIER);
	for (uintptr_t i = 0; i < MEMBERS; i++)
		qthread_fork(member, (void *)i, &ret[i]);
	for (int i = 0; i < MEMBERS; i++) {
		qthread_readFF(NULL, &ret[i]);
		sum += ret[i];
	}
	qt_barrier_destroy(barrier);
	printf("%lu %lu\n", (unsigned long)sum, (unsigned long)wrong);
	printf("tptrace-edges join=%d\n", MEMBERS);
	printf("tptrace-tasks %d\n", MEMBERS);
	return 0;
}

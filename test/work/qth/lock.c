/* lock.c - locks of all kinds around a counter that is no atomic */
// expect: sum(l["entries"] for l in r["locks"] if l["held_ns"] and l["name"] in ("word feb", "word other", "spinlock")) == 4800
#include <qthread/qthread.h>
#include <stdio.h>

#define TASKS 8
#define ROUNDS 200

static aligned_t lock, other, spin_word, feb = 1, counter[5];
static qthread_spinlock_t spinlock;

static aligned_t count(void *arg)
{
	aligned_t token;

	for (int i = 0; i < ROUNDS; i++) {
		qthread_lock(&lock);
		counter[0]++;
		if (i % 50 == 0)
			qthread_yield();
		qthread_unlock(&lock);
		qthread_readFE(&token, &feb);
		counter[1]++;
		qthread_writeEF(&feb, &token);
		qthread_spinlock_lock(&spinlock);
		counter[2]++;
		qthread_spinlock_unlock(&spinlock);
		while (qthread_trylock(&other) != QTHREAD_SUCCESS)
			qthread_yield();
		counter[3]++;
		qthread_unlock(&other);
		qthread_lock(&spin_word);
		counter[4]++;
		qthread_unlock(&spin_word);
	}
	return 0;
}

int main(void)
{
	aligned_t ret[TASKS];

	qthread_initialize();
	qthread_spinlock_init(&spinlock, false);
	qthread_lock_init(&spin_word, false);
	for (int i = 0; i < TASKS; i++)
		qthread_fork(count, NULL, &ret[i]);
	for (int i = 0; i < TASKS; i++)
		qthread_readFF(NULL, &ret[i]);
	qthread_lock_destroy(&spin_word);
	for (int i = 0; i < 5; i++)
		printf("%lu\n", (unsigned long)counter[i]);
	printf("tptrace-tasks %d\n", TASKS);
	return 0;
}

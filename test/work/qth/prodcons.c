/* prodcons.c - producers and consumers on full/empty words and syncvars */
#include <qthread/qthread.h>
#include <stdio.h>

#define ITEMS 400

static aligned_t slot, sum;
static syncvar_t var = SYNCVAR_STATIC_EMPTY_INITIALIZER;

static aligned_t produce(void *arg)
{
	for (aligned_t i = 1; i <= ITEMS; i++) {
		if (arg)
			qthread_writeEF_const(&slot, i);
		else
			qthread_writeEF(&slot, &i);
	}
	return 0;
}

static aligned_t consume(void *arg)
{
	aligned_t item, all = 0;

	for (int i = 0; i < ITEMS; i++) {
		qthread_readFE(&item, &slot);
		all += item;
	}
	qthread_incr(&sum, all);
	return all;
}

static aligned_t produce_var(void *arg)
{
	for (uint64_t i = 1; i <= ITEMS; i++) {
		if (arg)
			qthread_syncvar_writeEF_const(&var, i);
		else
			qthread_syncvar_writeEF(&var, &i);
	}
	return 0;
}

static aligned_t consume_var(void *arg)
{
	uint64_t item;
	aligned_t all = 0;

	for (int i = 0; i < ITEMS; i++) {
		qthread_syncvar_readFE(&item, &var);
		all += item;
	}
	qthread_incr(&sum, all);
	return all;
}

int main(void)
{
	aligned_t ret[8];

	qthread_initialize();
	qthread_empty(&slot);
	for (uintptr_t i = 0; i < 2; i++) {
		qthread_fork(consume, NULL, &ret[i]);
		qthread_fork(produce, (void *)i, &ret[2 + i]);
		qthread_fork(produce_var, (void *)i, &ret[4 + i]);
		qthread_fork(consume_var, NULL, &ret[6 + i]);
	}
	for (int i = 0; i < 8; i++)
		qthread_readFF(NULL, &ret[i]);
	printf("%lu\n", (unsigned long)sum);
	printf("tptrace-edges join=8\n");
	printf("tptrace-tasks 8\n");
	return 0;
}

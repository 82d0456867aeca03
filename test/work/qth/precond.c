/* precond.c - tasks that wait for words: those that other tasks return, and those filled by hand */
#include <qthread/qthread.h>
#include <stdio.h>

static aligned_t a, b, gate[3];

static aligned_t one(void *arg)
{
	for (int i = 0; i < (int)(uintptr_t)arg; i++)
		qthread_yield();
	return 1;
}

static aligned_t both(void *arg)
{
	return a + b + (uintptr_t)arg;
}

static aligned_t gates(void *arg)
{
	return gate[0] + gate[1] + gate[2];
}

static aligned_t copied(void *arg)
{
	return ((aligned_t *)arg)[0] + ((aligned_t *)arg)[1] + gate[1];
}

/* fib, with tasks that add up when both of theirs are there */
struct add {
	aligned_t left, right;
};

static aligned_t add(void *arg)
{
	struct add *terms = arg;

	return terms->left + terms->right;
}

int main(void)
{
	aligned_t sum[4], *array[2] = { &a, &b }, pair[2] = { 40, 2 };
	struct add terms[10];
	syncvar_t var = SYNCVAR_STATIC_EMPTY_INITIALIZER;
	uint64_t value;

	qthread_initialize();
	qthread_fork(one, (void *)20, &a);
	qthread_fork(one, (void *)5, &b);
	qthread_fork_precond(both, (void *)10, &sum[0], 2, &a, &b);
	qthread_fork_precond_to(both, (void *)20, &sum[1], 1, 2, &a, &b);
	qthread_fork_precond_simple(both, (void *)30, &sum[2], 2, &a, &b);
	qthread_fork_precond(both, (void *)40, &sum[3], -2, array);
	for (int i = 0; i < 4; i++)
		qthread_readFF(NULL, &sum[i]);
	printf("%lu %lu %lu %lu\n", (unsigned long)sum[0], (unsigned long)sum[1],
	       (unsigned long)sum[2], (unsigned long)sum[3]);

	for (int i = 0; i < 3; i++)
		qthread_empty(&gate[i]);
	qthread_fork_precond(gates, NULL, &sum[0], 3, &gate[0], &gate[1], &gate[2]);
	qthread_fork_copyargs_precond(copied, pair, sizeof(pair), &var, 1, &gate[1]);
	pair[0] = 0;
	for (aligned_t i = 0; i < 3; i++) {
		qthread_yield();
		qthread_writeEF_const(&gate[i], 1u << i);
	}
	qthread_readFF(NULL, &sum[0]);
	qthread_syncvar_readFF(&value, &var);
	printf("%lu %lu\n", (unsigned long)sum[0], (unsigned long)value);

	qthread_fork_precond(one, NULL, &sum[1], 0);
	qthread_readFF(NULL, &sum[1]);
	printf("%lu\n", (unsigned long)sum[1]);

	terms[9] = (struct add){ 1, 1 };
	for (int i = 9; i > 0; i--) {
		terms[i - 1].right = i == 9 ? 1 : terms[i].left;
		qthread_fork_precond(add, &terms[i], &terms[i - 1].left, 2, &terms[i].left,
				     &terms[i].right);
		qthread_readFF(NULL, &terms[i - 1].left);
	}
	printf("%lu\n", (unsigned long)terms[0].left);
	for (int i = 0; i < 10; i++) /* each waits for the one before, all created at once */
		qthread_empty(&terms[i].left), terms[i].right = 1;
	for (int i = 9; i > 0; i--)
		qthread_fork_precond(add, &terms[i], &terms[i - 1].left, 1, &terms[i].left);
	qthread_writeF_const(&terms[9].left, 0);
	qthread_readFF(NULL, &terms[0].left);
	printf("%lu\n", (unsigned long)terms[0].left);
	printf("tptrace-edges join=17 depend=29\n");
	printf("tptrace-tasks %d\n", 6 + 2 + 1 + 9 + 9);
	return 0;
}

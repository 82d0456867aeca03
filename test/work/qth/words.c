/* words.c - the other operations on words and syncvars */
#include <qthread/qthread.h>
#include <stdio.h>

static aligned_t word;
static syncvar_t var = SYNCVAR_STATIC_EMPTY_INITIALIZER;

static aligned_t wait_full(void *arg)
{
	aligned_t value;

	qthread_readFF(&value, &word);
	return value;
}

static aligned_t wait_write(void *arg)
{
	qthread_writeFF(&word, arg);
	return 0;
}

static aligned_t wait_var(void *arg)
{
	uint64_t value;

	qthread_syncvar_readFF(&value, &var);
	return value;
}

static aligned_t five = 5;

#define TASK(fn, arg, action)                                                                      \
	qthread_fork(fn, arg, &ret);                                                               \
	qthread_yield();                                                                           \
	action;                                                                                    \
	qthread_readFF(NULL, &ret);                                                                \
	printf("%s, %s: %lu %lu %d\n", #fn, #action, (unsigned long)ret, (unsigned long)word,      \
	       qthread_feb_status(&word))

int main(void)
{
	aligned_t ret, nine = 9, value;
	uint64_t eleven = 11;

	qthread_initialize();
	qthread_empty(&word);
	word = 3;
	TASK(wait_full, NULL, qthread_fill(&word));
	qthread_empty(&word);
	TASK(wait_full, NULL, qthread_writeF(&word, &nine));
	qthread_purge(&word);
	TASK(wait_full, NULL, qthread_writeF_const(&word, 10));
	qthread_empty(&word);
	TASK(wait_full, NULL, qthread_writeEF_const(&word, 12));
	qthread_purge_to(&word, &nine);
	TASK(wait_write, &five, qthread_fill(&word));
	qthread_writeFF_const(&word, 6);
	qthread_readXX(&value, &word);
	printf("%lu\n", (unsigned long)value);
	TASK(wait_var, NULL, qthread_syncvar_writeF_const(&var, 7));
	qthread_syncvar_empty(&var);
	TASK(wait_var, NULL, qthread_syncvar_writeF(&var, &eleven));
	qthread_syncvar_empty(&var);
	TASK(wait_var, NULL, qthread_syncvar_fill(&var));
	qthread_syncvar_incrF(&var, 4); /* of an empty one it stays empty, in 1.23 */
	TASK(wait_var, NULL, ((void)0));
	printf("%d\n", qthread_syncvar_status(&var));
	printf("tptrace-tasks 9\n");
	return 0;
}

/* fork.c - every way to create a task that is no precond, team or sinc */
#include <qthread/qthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned n_tasks;

static aligned_t twice(void *arg)
{
	return 2 * (uintptr_t)arg;
}

/* The copy may be at any address that suits a word. */
static aligned_t sum(void *arg)
{
	const unsigned char *byte = arg;
	uint32_t n;
	aligned_t all = 0;

	memcpy(&n, byte, sizeof(n));
	for (uint32_t i = sizeof(n); i < n; i++)
		all += byte[i];
	return all + ((uintptr_t)arg % sizeof(aligned_t) == 0 ? 0 : 1000000);
}

static unsigned char *block(uint32_t n)
{
	unsigned char *bytes = malloc(n);

	for (uint32_t i = 0; i < n; i++)
		bytes[i] = (unsigned char)(i * 7 + n);
	memcpy(bytes, &n, sizeof(n));
	return bytes;
}

static void say(const char *what, int status, uint64_t value)
{
	n_tasks++;
	printf("%s: %d %lu\n", what, status, (unsigned long)value);
}

static void words(void)
{
	aligned_t ret;
	int status;

#define WORD(call)                                                                                 \
	ret = 1;                                                                                   \
	status = call;                                                                             \
	qthread_readFF(NULL, &ret);                                                                \
	say(#call, status, ret)

	WORD(qthread_fork(twice, (void *)1, &ret));
	WORD(qthread_fork_net(twice, (void *)2, &ret));
	WORD(qthread_fork_to(twice, (void *)3, &ret, 0));
	WORD(qthread_fork_to(twice, (void *)4, &ret, 77));
	WORD(qthread_fork_to(twice, (void *)5, &ret, NO_SHEPHERD));
	WORD(qthread_spawn(twice, (void *)6, 0, &ret, 0, NULL, NO_SHEPHERD, 0));
	WORD(qthread_spawn(twice, (void *)7, 0, &ret, 0, NULL, 0, QTHREAD_SPAWN_SIMPLE));
	WORD(qthread_spawn(twice, (void *)8, 0, &ret, 0, NULL, 1, QTHREAD_SPAWN_LOCAL_PRIORITY));
}

static void syncvars(void)
{
	syncvar_t ret = SYNCVAR_STATIC_EMPTY_INITIALIZER;
	uint64_t value;
	int status;

#define SYNCVAR(call)                                                                              \
	status = call;                                                                             \
	qthread_syncvar_readFE(&value, &ret);                                                      \
	say(#call, status, value)

	SYNCVAR(qthread_fork_syncvar(twice, (void *)1, &ret));
	SYNCVAR(qthread_fork_syncvar_to(twice, (void *)2, &ret, 1));
	SYNCVAR(qthread_spawn(twice, (void *)3, 0, &ret, 0, NULL, NO_SHEPHERD,
			      QTHREAD_SPAWN_RET_SYNCVAR_T));
}

static void copies(void)
{
	static const uint32_t sizes[] = { 4, 5, 8, 63, 64, 991, 992, 993, 1024, 1025, 4097, 40000 };
	syncvar_t var = SYNCVAR_STATIC_EMPTY_INITIALIZER;
	aligned_t ret;
	uint64_t value;
	int status;

#define COPIED(call, read, value)                                                                  \
	bytes = block(sizes[i]);                                                                   \
	status = call;                                                                             \
	memset(bytes, 255, sizes[i]);                                                              \
	read;                                                                                      \
	free(bytes);                                                                               \
	say(#call, status, value)

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned char *bytes;

		COPIED(qthread_fork_copyargs(sum, bytes, sizes[i], &ret),
		       qthread_readFF(NULL, &ret), ret);
		COPIED(qthread_fork_copyargs_to(sum, bytes, sizes[i], (syncvar_t *)&ret, 1),
		       qthread_readFF(NULL, &ret), ret);
		COPIED(qthread_fork_syncvar_copyargs(sum, bytes, sizes[i], &var),
		       qthread_syncvar_readFE(&value, &var), value);
		COPIED(qthread_fork_syncvar_copyargs_simple(sum, bytes, sizes[i], &var),
		       qthread_syncvar_readFE(&value, &var), value);
		COPIED(qthread_fork_syncvar_copyargs_to(sum, bytes, sizes[i], &var, 0),
		       qthread_syncvar_readFE(&value, &var), value);
	}
}

static aligned_t done;

static aligned_t count(void *arg)
{
	qthread_incr(&done, (uintptr_t)arg);
	return 0;
}

int main(void)
{
	qthread_initialize();
	words();
	syncvars();
	copies();
	for (uintptr_t i = 1; i <= 100; i++)
		qthread_fork(count, (void *)i, NULL);
	n_tasks += 100;
	while (qthread_incr(&done, 0) != 5050)
		qthread_yield();
	printf("tptrace-edges join=%u sync=0\n", n_tasks - 100);
	printf("tptrace-tasks %u\n", n_tasks);
	return 0;
}

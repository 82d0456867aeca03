/* team.c - teams and subteams: the word of the first task is filled when all have ended */
#include <qthread/qthread.h>
#include <stdio.h>

static aligned_t members;

static aligned_t member(void *arg)
{
	for (int i = 0; i < 10; i++)
		qthread_yield();
	qthread_incr(&members, 1);
	return (uintptr_t)arg + (qt_team_id() != 1);
}

static aligned_t leader(void *arg)
{
	aligned_t ret;

	for (int i = 0; i < 3; i++)
		qthread_fork(member, NULL, NULL);
	qthread_fork(member, arg, &ret);
	qthread_readFF(NULL, &ret);
	return ret;
}

static aligned_t leader_of_leaders(void *arg)
{
	aligned_t ret;

	qthread_fork_new_subteam(leader, arg, &ret);
	qthread_readFF(NULL, &ret);
	return ret + 1;
}

static aligned_t copied(void *arg)
{
	return *(int *)arg + (qt_team_id() != 1);
}

int main(void)
{
	syncvar_t var = SYNCVAR_STATIC_EMPTY_INITIALIZER;
	aligned_t ret;
	uint64_t value;
	int number = 30;

	qthread_initialize();
	qthread_fork_new_team(leader, (void *)10, &ret);
	qthread_readFF(NULL, &ret);
	printf("%lu, %lu members\n", (unsigned long)ret, (unsigned long)qthread_incr(&members, 0));
	qthread_fork_syncvar_new_team(leader, (void *)20, &var);
	qthread_syncvar_readFF(&value, &var);
	printf("%lu, %lu members\n", (unsigned long)value,
	       (unsigned long)qthread_incr(&members, 0));
	qthread_fork_new_team(leader_of_leaders, (void *)100, &ret);
	qthread_readFF(NULL, &ret);
	printf("%lu, %lu members\n", (unsigned long)ret, (unsigned long)qthread_incr(&members, 0));
	qthread_fork_copyargs_new_team(copied, &number, sizeof(number), &ret);
	number = 0;
	qthread_readFF(NULL, &ret);
	printf("%lu\n", (unsigned long)ret);
	printf("tptrace-edges join=17\n");
	printf("tptrace-tasks %d\n", 5 + 5 + 6 + 1);
	return 0;
}

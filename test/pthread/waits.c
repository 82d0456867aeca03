// SPDX-License-Identifier: MIT
/*
 * waits.c - what condition variables, semaphores, joins, barriers and cancellation do in a task:
 * one line a point.
 */
#include <signal.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "points.h"

static const struct timespec invalid = { 1, 1000000000 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;

/* ---- condition variables ---- */

static int told;

static int tell_one(void *all)
{
	pthread_mutex_lock(&mutex);
	told = 1;
	if (all)
		pthread_cond_broadcast(&cond);
	else
		pthread_cond_signal(&cond);
	return pthread_mutex_unlock(&mutex);
}

static void conditions(void)
{
	pthread_mutex_t checks = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	struct timespec until;
	struct other other;

	printf("-- conditions\n");
	for (int all = 0; all < 2; all++) {
		told = 0;
		pthread_mutex_lock(&mutex);
		other_begin(&other, NULL, tell_one, all ? &cond : NULL, SHORT_NS);
		while (!told)
			pthread_cond_wait(&cond, &mutex);
		SAY(pthread_mutex_trylock(&mutex));
		SAY(pthread_mutex_unlock(&mutex));
		other_end(&other);
	}
	pthread_mutex_lock(&mutex);
	until = from_now(CLOCK_REALTIME, SHORT_NS);
	SAY(pthread_cond_timedwait(&cond, &mutex, &until));
	SAY(pthread_cond_timedwait(&cond, &mutex, &invalid));
	until = from_now(CLOCK_MONOTONIC, SHORT_NS);
	SAY(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &until));
	SAY(pthread_cond_clockwait(&cond, &mutex, CLOCK_PROCESS_CPUTIME_ID, &until));
	SAY(pthread_mutex_unlock(&mutex));
	SAY(pthread_cond_wait(&cond, &checks)); /* which nobody holds */
	SAY(pthread_cond_signal(&cond));
	SAY(pthread_cond_broadcast(&cond));
}

/* ---- semaphores ---- */

static int up(void *arg)
{
	(void)arg;
	return sem_post(&sem);
}

static void on_signal(int number)
{
	(void)number;
}

static void on_signal_up(int number)
{
	(void)number;
	sem_post(&sem);
}

static pthread_t waiter;

static int interrupt(void *number)
{
	return pthread_kill(waiter, *(int *)number);
}

static void semaphores(void)
{
	struct timespec until;
	struct other other;
	int usr1 = SIGUSR1, usr2 = SIGUSR2;

	printf("-- semaphores\n");
	sem_init(&sem, 0, 1);
	SAY(sem_wait(&sem));
	other_begin(&other, NULL, up, NULL, SHORT_NS);
	SAY(sem_wait(&sem));
	other_end(&other);
	until = from_now(CLOCK_REALTIME, SHORT_NS);
	SAY(sem_timedwait(&sem, &until));
	until = from_now(CLOCK_MONOTONIC, SHORT_NS);
	SAY(sem_clockwait(&sem, CLOCK_MONOTONIC, &until));
	SAY(sem_timedwait(&sem, &invalid));
	SAY(sem_post(&sem));
	SAY(sem_timedwait(&sem, &invalid)); /* it is free */
	SAY(sem_clockwait(&sem, CLOCK_PROCESS_CPUTIME_ID, &until));
	SAY(sem_timedwait(&sem, &until)); /* too late, but it is free */
	waiter = pthread_self();
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	sigaction(SIGUSR2, &(struct sigaction){ .sa_handler = on_signal_up }, NULL);
	other_begin(&other, NULL, interrupt, &usr1, SHORT_NS);
	SAY(sem_wait(&sem));
	other_end(&other);
	other_begin(&other, NULL, interrupt, &usr2, SHORT_NS);
	while (sem_wait(&sem) < 0)
		;
	other_end(&other);
	SAY(sem_trywait(&sem));
}

/* ---- threads ---- */

static void *slow(void *arg)
{
	pause_ns(SHORT_NS);
	return arg;
}

static int slow11(void *arg)
{
	pause_ns(SHORT_NS);
	return *(int *)arg;
}

static void *meets(void *barrier)
{
	return pthread_barrier_wait(barrier) ? barrier : NULL;
}

static void threads(void)
{
	pthread_barrier_t barrier;
	struct timespec until;
	pthread_t thread;
	void *result = NULL, *result2 = NULL;
	thrd_t thrd;
	int value = 7;

	printf("-- threads\n");
	pthread_create(&thread, NULL, slow, &value);
	SAY(pthread_join(thread, &result));
	SAY(result == &value);
	pthread_create(&thread, NULL, slow, &value);
	until = from_now(CLOCK_REALTIME, 0);
	SAY(pthread_timedjoin_np(thread, &result, &until));
	until = from_now(CLOCK_MONOTONIC, 0);
	SAY(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &until));
	pause_ns(3 * SHORT_NS);
	SAY(pthread_timedjoin_np(thread, NULL, &invalid)); /* it is over */
	SAY(pthread_join(pthread_self(), NULL));
	thrd_create(&thrd, slow11, &value);
	value = 9;
	SAY(thrd_join(thrd, &value));
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, meets, &barrier);
	result = pthread_barrier_wait(&barrier) ? &barrier : NULL;
	pthread_join(thread, &result2);
	SAY((result != NULL) + (result2 != NULL)); /* one of them has it serial */
}

/* ---- C11 ---- */

static mtx_t mtx;
static cnd_t cnd;

static int tell11(void *all)
{
	mtx_lock(&mtx);
	told = 1;
	if (all)
		cnd_broadcast(&cnd);
	else
		cnd_signal(&cnd);
	return mtx_unlock(&mtx);
}

static void c11(void)
{
	struct timespec until;
	struct other other;

	printf("-- cnd\n");
	mtx_init(&mtx, mtx_plain);
	cnd_init(&cnd);
	for (int all = 0; all < 2; all++) {
		told = 0;
		mtx_lock(&mtx);
		other_begin(&other, NULL, tell11, all ? &cnd : NULL, SHORT_NS);
		while (!told)
			cnd_wait(&cnd, &mtx);
		SAY(mtx_unlock(&mtx));
		other_end(&other);
	}
	mtx_lock(&mtx);
	until = from_now(CLOCK_REALTIME, SHORT_NS);
	SAY(cnd_timedwait(&cnd, &mtx, &until));
	SAY(cnd_timedwait(&cnd, &mtx, &invalid));
	SAY(mtx_unlock(&mtx));
}

/* ---- cancellation: of a thread that is in a task of its own ---- */

static void cleaned(void *what)
{
	printf("cleanup of %s: mutex %d\n", (char *)what, pthread_mutex_trylock(&mutex));
	pthread_mutex_unlock(&mutex);
}

static void cleaned_sem(void *what)
{
	int value;

	sem_getvalue(&sem, &value);
	printf("cleanup of %s: semaphore %d\n", (char *)what, value);
}

static volatile int ready;

static void become_task(void)
{
#pragma omp parallel num_threads(1)
#pragma omp task
	pause_ns(1);
}

static void *in_cond(void *timed)
{
	struct timespec until = from_now(CLOCK_REALTIME, 1000 * SHORT_NS);

	become_task();
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(cleaned, "cond");
	ready = 1;
	for (;;)
		if (timed)
			pthread_cond_timedwait(&cond, &mutex, &until);
		else
			pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *in_sem(void *timed)
{
	struct timespec until = from_now(CLOCK_REALTIME, 1000 * SHORT_NS);

	become_task();
	pthread_cleanup_push(cleaned_sem, "sem");
	ready = 1;
	if (timed)
		sem_timedwait(&sem, &until);
	else
		sem_wait(&sem);
	pthread_cleanup_pop(0);
	return NULL;
}

/* It is cancelled before it waits, for what it need not wait for. */
static void *in_free_sem(void *arg)
{
	(void)arg;
	become_task();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	ready = 1;
	pause_ns(10 * SHORT_NS);
	pthread_mutex_lock(&mutex); /* is no such point */
	pthread_mutex_unlock(&mutex);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	pthread_cleanup_push(cleaned_sem, "free sem");
	sem_wait(&sem);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *for_ever(void *arg)
{
	pause();
	return arg;
}

static void cleaned_join(void *thread)
{
	printf("cleanup of join\n");
	pthread_cancel(*(pthread_t *)thread);
	pthread_join(*(pthread_t *)thread, NULL);
}

static void *in_join(void *arg)
{
	pthread_t thread;

	(void)arg;
	become_task();
	pthread_create(&thread, NULL, for_ever, NULL);
	pthread_cleanup_push(cleaned_join, &thread);
	ready = 1;
	pthread_join(thread, NULL);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancelled(const char *name, void *(*run)(void *), void *arg)
{
	pthread_t thread;
	void *result;

	ready = 0;
	pthread_create(&thread, NULL, run, arg);
	while (!ready)
		pause_ns(SHORT_NS);
	pause_ns(SHORT_NS);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("%s: cancelled %d\n", name, result == PTHREAD_CANCELED);
}

static void cancellation(void)
{
	printf("-- cancellation\n");
	cancelled("cond_wait", in_cond, NULL);
	cancelled("cond_timedwait", in_cond, &cond);
	sem_init(&sem, 0, 0);
	cancelled("sem_wait", in_sem, NULL);
	cancelled("sem_timedwait", in_sem, &sem);
	sem_post(&sem);
	cancelled("free sem_wait", in_free_sem, NULL);
	cancelled("join", in_join, NULL);
}

/* Where a task waits while another forks, the child's release finds nobody. */
static void forked(void)
{
	pid_t child;
	int status;

	printf("-- forked\n");
	fflush(stdout);
	sem_init(&sem, 0, 0);
	ready = 0;
	pthread_create(&waiter, NULL, in_sem, NULL);
	while (!ready)
		pause_ns(SHORT_NS);
	pause_ns(SHORT_NS);
	child = fork();
	if (!child) {
		SAY(sem_post(&sem));
		SAY(sem_wait(&sem));
		fflush(stdout);
		_exit(3);
	}
	waitpid(child, &status, 0);
	printf("status %d\n", WEXITSTATUS(status));
	sem_post(&sem);
	pthread_join(waiter, NULL);
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
#pragma omp parallel num_threads(1)
#pragma omp task
	{
		conditions();
		semaphores();
		threads();
		c11();
		cancellation();
		forked();
	}
	return 0;
}

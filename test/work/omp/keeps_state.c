/* SPDX-License-Identifier: MIT */
/* errno, rounding mode, floating point flags and signal mask are the same after every construct,
 * and an undeferred task sees its caller's. */
// needs: gcc11
// not-on: libomp
// flags: -lm
#include <errno.h>
#include <fenv.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>

static const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST };
static const int flags[] = { FE_OVERFLOW, FE_DIVBYZERO, 0 };
static int n_touched, n_changed, a;
static omp_lock_t lock;

static void touch(void)
{
#pragma omp atomic
	n_touched++;
}

static void state_set(int k)
{
	sigset_t s;

	sigemptyset(&s);
	sigaddset(&s, k % 2 ? SIGUSR1 : SIGUSR2);
	pthread_sigmask(SIG_SETMASK, &s, NULL);
	fesetround(modes[k % 4]);
	feclearexcept(FE_ALL_EXCEPT);
	feraiseexcept(flags[k % 3]);
	errno = 1000 + k;
}

static void state_check(int k, const char *what)
{
	int error = errno, raised = fetestexcept(FE_ALL_EXCEPT), mode = fegetround();
	sigset_t s;

	pthread_sigmask(SIG_SETMASK, NULL, &s);
	if (error != 1000 + k)
		printf("%s: errno %d\n", what, error);
	if (raised != flags[k % 3])
		printf("%s: floating point flags %#x\n", what, raised);
	if (mode != modes[k % 4])
		printf("%s: rounding mode %#x\n", what, mode);
	if (sigismember(&s, SIGUSR1) != k % 2 || sigismember(&s, SIGUSR2) == k % 2 ||
	    sigismember(&s, SIGTERM))
		printf("%s: signal mask\n", what);
	else if (error == 1000 + k && raised == flags[k % 3] && mode == modes[k % 4])
		return;
#pragma omp atomic
	n_changed++;
}

static void in_parallel(int k)
{
#pragma omp parallel
	touch();
}

static void in_parallel_one(int k)
{
#pragma omp parallel num_threads(1)
	state_check(k, "in parallel num_threads(1)");
}

static void in_parallel_for(int k)
{
#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < 4; i++)
		touch();
}

static void in_parallel_sections(int k)
{
#pragma omp parallel sections
	{
#pragma omp section
		touch();
#pragma omp section
		touch();
	}
}

static void in_task(int k)
{
#pragma omp task
	touch();
}

static void in_taskwait(int k)
{
#pragma omp taskwait
}

static void in_task_if0(int k)
{
#pragma omp task if (0)
	state_check(k, "in task if(0)");
}

static void in_task_depend(int k)
{
#pragma omp task depend(inout : a)
	touch();
}

static void in_taskwait_depend(int k)
{
#pragma omp taskwait depend(in : a)
}

static void in_taskgroup(int k)
{
#pragma omp taskgroup
	{
#pragma omp task
		touch();
	}
}

static void in_taskloop(int k)
{
#pragma omp taskloop num_tasks(4)
	for (int i = 0; i < 9; i++)
		touch();
}

static void in_taskyield(int k)
{
#pragma omp taskyield
}

static void in_detach(int k)
{
	omp_event_handle_t e;

#pragma omp task detach(e)
	touch();
	omp_fulfill_event(e);
}

static void in_critical(int k)
{
#pragma omp critical
	touch();
#pragma omp critical(named)
	touch();
}

static void in_lock(int k)
{
	omp_set_lock(&lock);
	omp_unset_lock(&lock);
}

static void in_barrier(int k)
{
#pragma omp barrier
}

static void in_for(int k)
{
#pragma omp for schedule(dynamic)
	for (int i = 0; i < 4; i++)
		touch();
}

static void in_single(int k)
{
#pragma omp single
	touch();
}

#define TRY(where, construct)                         \
	for (int k = 0; k < 12; k++) {                \
		state_set(k);                         \
		construct(k);                         \
		state_check(k, where " " #construct); \
	}

int main(void)
{
	omp_init_lock(&lock);
	TRY("outside", in_parallel)
	TRY("outside", in_parallel_one)
	TRY("outside", in_parallel_for)
	TRY("outside", in_parallel_sections)
	TRY("outside", in_task)
	TRY("outside", in_task_depend)
	TRY("outside", in_taskgroup)
	TRY("outside", in_taskloop)
#pragma omp parallel
#pragma omp master
	{
		TRY("inside", in_task)
		TRY("inside", in_taskwait)
		TRY("inside", in_task_if0)
		TRY("inside", in_task_depend)
		TRY("inside", in_taskwait_depend)
		TRY("inside", in_taskgroup)
		TRY("inside", in_taskloop)
		TRY("inside", in_taskyield)
		TRY("inside", in_detach)
		TRY("inside", in_critical)
		TRY("inside", in_lock)
	}
#pragma omp parallel num_threads(1)
	{
		TRY("alone", in_barrier)
		TRY("alone", in_for)
		TRY("alone", in_single)
		TRY("alone", in_task)
		TRY("alone", in_taskwait)
	}
	omp_destroy_lock(&lock);
	printf("changed %d\n", n_changed);
	printf("tptrace-tasks %d\n", 12 * (1 + 1 + 1 + 4 + 1 + 1 + 1 + 1 + 4 + 1 + 1));
	return n_changed != 0;
}

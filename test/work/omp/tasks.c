/* SPDX-License-Identifier: MIT */
/*
 * Clauses of a task and what waits: if(0), which the caller runs before it returns; mergeable,
 * deferred or not; final, whose children are included; taskwait with children, without and twice;
 * taskyield in tasks, in an implicit task and outside any team.
 */
#include <omp.h>
#include <stdio.h>

static long sum, n_final, n_not_final, n_elsewhere, n_late;

static void add(long i)
{
#pragma omp atomic
	sum += i;
}

static void undeferred(void)
{
	for (int i = 0; i < 100; i++) {
		int me = omp_get_thread_num(), done = 0;

#pragma omp task if (i % 10 == 0) firstprivate(i, me)
		{
			add(i);
			if (i % 10 != 0 && omp_get_thread_num() != me)
#pragma omp atomic
				n_elsewhere++;
		}
#pragma omp task if (0) shared(done)
		done = 1;
		n_late += !done;
	}
}

static void mergeable(void)
{
	for (int i = 0; i < 300; i++) {
#pragma omp task mergeable if (i % 3) final(i % 5 == 0)
		{
#pragma omp task mergeable
			add(i);
#pragma omp taskwait
		}
	}
}

static void final_tree(int depth)
{
	int me = omp_get_thread_num(), included = omp_in_final();

	if (included)
#pragma omp atomic
		n_final++;
	else
#pragma omp atomic
		n_not_final++;
	if (depth == 8)
		return;
	for (int i = 0; i < 2; i++)
#pragma omp task final(depth >= 3) firstprivate(me, included)
	{
		if (included && omp_get_thread_num() != me)
#pragma omp atomic
			n_elsewhere++;
		final_tree(depth + 1);
	}
#pragma omp taskwait
}

static void waits(void)
{
	long part[50] = { 0 };

	for (int k = 0; k < 4; k++) {
		for (int i = 0; i < 50; i++)
#pragma omp task shared(part)
		{
			part[i] = i * (k + 1);
#pragma omp task
			add(1); /* nobody waits for grandchildren */
		}
#pragma omp taskwait
#pragma omp taskwait
		for (int i = 0; i < 50; i++)
			add(part[i]);
	}
}

static void yields(void)
{
	for (int i = 0; i < 200; i++) {
#pragma omp task
		{
#pragma omp taskyield
			add(1);
#pragma omp taskyield
		}
		if (i % 16 == 0) {
#pragma omp taskyield
		}
	}
}

int main(void)
{
#pragma omp taskyield
#pragma omp parallel
	{
#pragma omp taskwait
#pragma omp taskyield
#pragma omp single
		{
			undeferred();
			mergeable();
			final_tree(0);
			waits();
			yields();
		}
	}
	printf("sum %ld final %ld not %ld elsewhere %ld late %ld\n", sum, n_final, n_not_final,
	       n_elsewhere, n_late);
	printf("tptrace-tasks %d\n", 200 + 600 + (1 << 9) - 2 + 400 + 200);
	return sum != 4950 + 44850 + 12250 + 200 + 200 || n_elsewhere || n_late;
}

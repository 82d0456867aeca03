/* SPDX-License-Identifier: MIT */
/* again.c - the runtime is started and ended several times, with other numbers of workers. */
#include <stdio.h>
#include "myth/myth.h"

static void *tree(void *arg)
{
	long n = (long)arg;
	void *a, *b;
	myth_thread_t left, right;

	if (n == 0)
		return (void *)1;
	left = myth_create(tree, (void *)(n - 1));
	right = myth_create(tree, (void *)(n - 1));
	myth_join(right, &b);
	myth_join(left, &a);
	return (void *)((long)a + (long)b);
}

int main(void)
{
	int n_workers[] = { 1, 3, 2, 6 };

	for (int i = 0; i < 4; i++) {
		myth_globalattr_t attr;
		void *result;

		if (i == 0) {
			myth_init();
		} else {
			myth_globalattr_init(&attr);
			myth_globalattr_set_n_workers(&attr, (size_t)n_workers[i]);
			myth_init_ex(&attr);
		}
		myth_join(myth_create(tree, (void *)6), &result);
		printf("%ld leaves\n", (long)result);
		myth_fini();
	}
	printf("tptrace-tasks %d\n", 4 * 127);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Dependences declared between tasks: a chain, a diamond, a fan; the successor submitted first. */
#include "common.h"

static int order[64], n_done;

static void note(void *buffers[], void *arg)
{
	spin(20000);
	order[(intptr_t)arg] = __atomic_add_fetch(&n_done, 1, __ATOMIC_SEQ_CST);
}

static struct starpu_codelet cl = { .cpu_funcs = { note }, .name = "note" };

int main(void)
{
	struct starpu_task *chain[10], *diamond[4], *leaf[20], *root;

	begin();
	for (int i = 0; i < 10; i++)
		chain[i] = task_of(&cl, i);
	for (int i = 1; i < 10; i++)
		starpu_task_declare_deps_array(chain[i], 1, &chain[i - 1]);
	for (int i = 9; i >= 0; i--) /* the last first */
		MUST(starpu_task_submit(chain[i]));
	for (int i = 0; i < 4; i++)
		diamond[i] = task_of(&cl, 10 + i);
	starpu_task_declare_deps(diamond[1], 1, diamond[0]);
	starpu_task_declare_deps(diamond[2], 1, diamond[0]);
	starpu_task_declare_deps(diamond[3], 2, diamond[1], diamond[2]);
	for (int i = 0; i < 4; i++)
		MUST(starpu_task_submit(diamond[i]));
	root = task_of(&cl, 20);
	for (int i = 0; i < 20; i++)
		leaf[i] = task_of(&cl, 21 + i);
	for (int i = 0; i < 20; i++)
		starpu_task_declare_deps_array(leaf[i], 1, &root);
	for (int i = 0; i < 20; i++)
		MUST(starpu_task_submit(leaf[i]));
	MUST(starpu_task_submit(root));
	starpu_task_wait_for_all();
	for (int i = 1; i < 10; i++)
		if (order[i] < order[i - 1])
			printf("chain %d came early\n", i);
	if (order[11] < order[10] || order[12] < order[10] || order[13] < order[11] ||
	    order[13] < order[12])
		printf("the diamond is broken\n");
	for (int i = 0; i < 20; i++)
		if (order[21 + i] < order[20])
			printf("leaf %d came early\n", i);
	printf("%d done\n", n_done);
	finish(10 + 4 + 21);
	return 0;
}

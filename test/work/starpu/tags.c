/* SPDX-License-Identifier: MIT */
/* Tags: dependences between them, waits for them, tags without a task, small and large numbers. */
#include "common.h"

#define TAG(i, j) ((starpu_tag_t)(i) << 40 | (starpu_tag_t)(j))

#define LAST ((starpu_tag_t)-1)

static long cell[8][8];

static void fill_cell(void *buffers[], void *arg)
{
	intptr_t at = (intptr_t)arg;
	int i = (int)(at / 8), j = (int)(at % 8);

	cell[i][j] = 1 + (i ? cell[i - 1][j] : 0) + (j ? cell[i][j - 1] : 0);
}

static struct starpu_codelet cl = { .cpu_funcs = { fill_cell }, .name = "cell" };

static void submit(int i, int j)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = &cl;
	task->cl_arg = (void *)(intptr_t)(i * 8 + j);
	task->use_tag = 1;
	task->tag_id = TAG(i, j);
	if (i && j)
		starpu_tag_declare_deps(TAG(i, j), 2, TAG(i - 1, j), TAG(i, j - 1));
	else if (i || j)
		starpu_tag_declare_deps(TAG(i, j), 1, i ? TAG(i - 1, j) : TAG(i, j - 1));
	else
		starpu_tag_declare_deps(TAG(i, j), 1, TAG(7, 77));
	MUST(starpu_task_submit(task));
}

static long n_late;
static void late(void *buffers[], void *arg)
{
	n_late += cell[7][7];
}
static struct starpu_codelet late_cl = { .cpu_funcs = { late }, .name = "late" };

int main(void)
{
	starpu_tag_t two[2] = { TAG(7, 6), TAG(6, 7) };
	struct starpu_task *task;

	begin();
	for (int i = 7; i >= 0; i--) /* all but the last depend on tags that have no task yet */
		for (int j = 7; j >= 0; j--)
			submit(i, j);
	starpu_tag_notify_from_apps(TAG(7, 77));
	MUST(starpu_tag_wait(TAG(3, 3)));
	printf("%ld\n", cell[3][3]);
	MUST(starpu_tag_wait_array(2, two));
	printf("%ld %ld\n", cell[7][6], cell[6][7]);
	task = starpu_task_create();
	task->cl = &late_cl;
	task->use_tag = 1;
	task->tag_id = LAST;
	starpu_tag_declare_deps_array(LAST, 1, (starpu_tag_t[]){ TAG(7, 7) });
	MUST(starpu_task_submit(task));
	MUST(starpu_tag_wait(LAST));
	printf("%ld\n", n_late);
	starpu_task_wait_for_all();
	finish(64 + 1);
	return 0;
}

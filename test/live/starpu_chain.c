/* SPDX-License-Identifier: MIT */
/*
 * starpu_chain.c - work that must be done one piece after the other, for the reason named by the
 * argument, or (free) in any order.  Each piece takes half a millisecond.
 */
#include <starpu.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PIECES 30

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void piece(void)
{
	double until = now() + 0.0005;

	while (now() < until)
		;
}

static void run(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	piece();
}

static struct starpu_codelet free_cl = { .cpu_funcs = { run }, .name = "free" };
static struct starpu_codelet write_cl = {
	.cpu_funcs = { run }, .nbuffers = 1, .modes = { STARPU_RW }, .name = "write"
};
static struct starpu_codelet two_cl = { .cpu_funcs = { run },
					.nbuffers = 2,
					.modes = { STARPU_W, STARPU_R },
					.name = "write and read" };
static struct starpu_codelet nowhere_cl = {
	.where = STARPU_NOWHERE, .nbuffers = 1, .modes = { STARPU_RW }, .name = "nowhere"
};

static long number[PIECES + 1];
static starpu_data_handle_t handle[PIECES + 1];

static struct starpu_task *task_of(struct starpu_codelet *cl)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = cl;
	return task;
}

static void submit(struct starpu_task *task)
{
	if (starpu_task_submit(task) != 0)
		exit(2);
}

static void any_order(void)
{
	for (int i = 0; i < PIECES; i++)
		submit(task_of(&free_cl));
}

static void written(void)
{
	for (int i = 0; i < PIECES; i++)
		starpu_task_insert(&write_cl, STARPU_RW, handle[0], 0);
}

static void passed_on(void)
{
	for (int i = 0; i < PIECES; i++)
		starpu_task_insert(&two_cl, STARPU_W, handle[i + 1], STARPU_R, handle[i], 0);
}

static void through_nowhere(void)
{
	for (int i = 0; i < PIECES; i++) {
		starpu_task_insert(&write_cl, STARPU_RW, handle[0], 0);
		starpu_task_insert(&nowhere_cl, STARPU_RW, handle[0], 0);
	}
}

static void declared(void)
{
	struct starpu_task *task[PIECES];

	for (int i = 0; i < PIECES; i++) {
		task[i] = task_of(&free_cl);
		if (i)
			starpu_task_declare_deps_array(task[i], 1, &task[i - 1]);
	}
	for (int i = PIECES - 1; i >= 0; i--)
		submit(task[i]);
}

static void tagged(void)
{
	for (int i = PIECES; i > 0; i--) {
		struct starpu_task *task = task_of(&free_cl);

		task->use_tag = 1;
		task->tag_id = (starpu_tag_t)i << 32;
		if (i > 1)
			starpu_tag_declare_deps(task->tag_id, 1, (starpu_tag_t)(i - 1) << 32);
		submit(task);
	}
	starpu_tag_wait((starpu_tag_t)PIECES << 32);
}

static void next(void *arg)
{
	struct starpu_task *task = task_of(&free_cl);

	if ((intptr_t)arg == 0)
		return;
	task->callback_func = next;
	task->callback_arg = (void *)((intptr_t)arg - 1);
	submit(task);
}

static void called_back(void)
{
	next((void *)(intptr_t)PIECES);
}

static int n_again;
static void again(void *arg)
{
	(void)arg;
	if (++n_again == PIECES)
		starpu_task_get_current()->regenerate = 0;
}

static void regenerated(void)
{
	static struct starpu_task task;

	starpu_task_init(&task);
	task.cl = &free_cl;
	task.regenerate = 1;
	task.callback_func = again;
	submit(&task);
}

static void acquired(void)
{
	for (int i = 0; i < PIECES; i++) {
		starpu_task_insert(&write_cl, STARPU_RW, handle[0], 0);
		starpu_data_acquire(handle[0], STARPU_R);
		piece();
		starpu_data_release(handle[0]);
	}
}

/* A task that is submitted while the program holds its data. */
static void held(void)
{
	for (int i = 0; i < PIECES; i++) {
		starpu_data_acquire(handle[0], STARPU_RW);
		starpu_task_insert(&write_cl, STARPU_RW, handle[0], 0);
		piece();
		starpu_data_release(handle[0]);
	}
}

static void synchronous(void)
{
	for (int i = 0; i < PIECES; i++) {
		struct starpu_task *task = task_of(&free_cl);

		task->synchronous = 1;
		submit(task);
		piece();
	}
}

static void waited_for(void)
{
	for (int i = 0; i < PIECES; i++) {
		struct starpu_task *task = task_of(&free_cl);

		task->detach = 0;
		submit(task);
		if (starpu_task_wait(task) != 0)
			exit(2);
		submit(task_of(&free_cl));
		starpu_task_wait_for_all();
		piece();
	}
}

static void unregistered(void)
{
	for (int i = 0; i < PIECES; i++) {
		starpu_task_insert(&write_cl, STARPU_RW, handle[i], 0);
		starpu_data_unregister(handle[i]);
		handle[i] = NULL;
		piece();
	}
}

static void nothing(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
}
static struct starpu_codelet nothing_cl = { .cpu_funcs = { nothing }, .name = "nothing" };

/* A task is over when its part is, too: the next part comes after both. */
static void ended(void)
{
	struct starpu_task *task[PIECES], *part[PIECES];

	for (int i = 0; i < PIECES; i++) {
		task[i] = task_of(&nothing_cl);
		part[i] = task_of(&free_cl);
		starpu_task_declare_end_deps_array(task[i], 1, &part[i]);
		if (i)
			starpu_task_declare_deps_array(part[i], 1, &task[i - 1]);
	}
	for (int i = 0; i < PIECES; i++) {
		submit(part[i]);
		submit(task[i]);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} reasons[] = {
	{ "free", any_order },
	{ "written", written },
	{ "passed_on", passed_on },
	{ "through_nowhere", through_nowhere },
	{ "declared", declared },
	{ "tagged", tagged },
	{ "called_back", called_back },
	{ "regenerated", regenerated },
	{ "acquired", acquired },
	{ "held", held },
	{ "synchronous", synchronous },
	{ "waited_for", waited_for },
	{ "unregistered", unregistered },
	{ "ended", ended },
};

int main(int argc, char **argv)
{
	if (argc != 2 || starpu_init(NULL) != 0)
		return 77;
	for (int i = 0; i <= PIECES; i++)
		starpu_variable_data_register(&handle[i], STARPU_MAIN_RAM, (uintptr_t)&number[i],
					      sizeof(number[i]));
	for (unsigned i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (strcmp(argv[1], reasons[i].name) == 0)
			reasons[i].run();
	starpu_task_wait_for_all();
	for (int i = 0; i <= PIECES; i++)
		if (handle[i])
			starpu_data_unregister(handle[i]);
	starpu_shutdown();
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* starpu_task_insert() with arguments of all classes: pointers, integers, doubles, on the stack. */
#include "common.h"

static double flops_seen;

static void add_up(void *buffers[], void *arg)
{
	double factor;
	int a, b, c;

	flops_seen = starpu_task_get_current()->flops; /* the same in all */
	starpu_codelet_unpack_args(arg, &a, &factor, &b, &c);
	*number_of(buffers[0]) += (long)(a * factor) + b + c;
}

static struct starpu_codelet add_up_cl = {
	.cpu_funcs = { add_up }, .nbuffers = 1, .modes = { STARPU_RW }, .name = "add"
};

static void sum(void *buffers[], void *arg)
{
	*number_of(buffers[0]) = *number_of(buffers[1]) + *number_of(buffers[2]);
}

static struct starpu_codelet sum_cl = { .cpu_funcs = { sum },
					.nbuffers = 3,
					.modes = { STARPU_W, STARPU_R, STARPU_R },
					.name = "sum" };

static double priority_seen;
static void called(void *arg)
{
	priority_seen += *(double *)arg;
}

int main(void)
{
	long x = 0, y = 0, z = 0;
	double factor = 2.5, flops = 1e6, *quarter = malloc(sizeof(double));
	int i, b = 3, c = 4;
	starpu_data_handle_t hx, hy, hz;

	*quarter = 0.25; /* freed by StarPU */
	begin();
	hx = number(&x);
	hy = number(&y);
	hz = number(&z);
	for (i = 0; i < 50; i++) {
		MUST(starpu_task_insert(&add_up_cl, STARPU_VALUE, &i, sizeof(i), STARPU_VALUE,
					&factor, sizeof(factor), STARPU_VALUE, &b, sizeof(b),
					STARPU_VALUE, &c, sizeof(c), STARPU_RW, i % 2 ? hx : hy,
					STARPU_FLOPS, flops, STARPU_PRIORITY, i % 2, STARPU_NAME,
					"add of insert.c", STARPU_CALLBACK_WITH_ARG,
					i == 7 ? called : NULL, i == 7 ? quarter : NULL, 0));
	}
	MUST(starpu_insert_task(&sum_cl, STARPU_W, hz, STARPU_R, hx, STARPU_R, hy, 0));
	starpu_data_unregister(hz);
	starpu_data_unregister(hx);
	starpu_data_unregister(hy);
	starpu_task_wait_for_all();
	printf("%ld %ld %ld %g %g\n", x, y, z, priority_seen, flops_seen);
	finish(50 + 1 + 1);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* The shim's table of offsets against the compiler's, for the version that is installed. */
#include <starpu.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "shims/starpu/starpu_layout.h"

static int n_wrong;

static void same(const char *field, size_t ours, size_t theirs)
{
	if (ours != theirs) {
		printf("%s: %zu, is %zu\n", field, ours, theirs);
		n_wrong++;
	}
}

#define TASK(field) same("task->" #field, layout->field, offsetof(struct starpu_task, field))
#define CODELET(field)                                                                             \
	same("cl->" #field, layout->cl_##field, offsetof(struct starpu_codelet, field))

#define FLAG(field, flag)                                                                          \
	do {                                                                                       \
		struct starpu_task task;                                                           \
		uint32_t bits;                                                                     \
                                                                                                   \
		memset(&task, 0, sizeof(task));                                                    \
		task.field = 1;                                                                    \
		memcpy(&bits, (char *)&task + layout->flags, sizeof(bits));                        \
		same("bits of task->" #field, (size_t)1 << (layout->flag0 + flag), bits);          \
	} while (0)

int main(void)
{
	const struct starpu_layout *layout = NULL;

	for (unsigned i = 0; i < STARPU_LAYOUTS; i++)
		if (starpu_layouts[i].minor == STARPU_MINOR_VERSION &&
		    starpu_layouts[i].micro_first <= STARPU_RELEASE_VERSION &&
		    STARPU_RELEASE_VERSION <= starpu_layouts[i].micro_last)
			layout = &starpu_layouts[i];
	if (!layout) {
		printf("no row for this version\n");
		return 1;
	}
	same("sizeof(struct starpu_task)", layout->task_bytes, sizeof(struct starpu_task));
	same("task->name", STARPU_TASK_NAME, offsetof(struct starpu_task, name));
	TASK(cl);
	TASK(nbuffers);
	TASK(dyn_handles);
	TASK(dyn_modes);
	TASK(handles);
	TASK(modes);
	TASK(callback_func);
	TASK(tag_id);
	TASK(omp_task);
#if STARPU_MINOR_VERSION >= 3
	TASK(where);
	TASK(handles_sequential_consistency);
	TASK(magic);
	TASK(sched_ctx);
	TASK(nb_termination_call_required);
#endif
	FLAG(use_tag, STARPU_FLAG_USE_TAG);
	FLAG(sequential_consistency, STARPU_FLAG_SEQUENTIAL_CONSISTENCY);
	FLAG(synchronous, STARPU_FLAG_SYNCHRONOUS);
	FLAG(regenerate, STARPU_FLAG_REGENERATE);
	CODELET(nbuffers);
	CODELET(modes);
	CODELET(dyn_modes);
	same("cl->where", STARPU_CL_WHERE, offsetof(struct starpu_codelet, where));
	same("cl->type", STARPU_CL_TYPE, offsetof(struct starpu_codelet, type));
	same("cl->cpu_funcs", STARPU_CL_CPU_FUNCS, offsetof(struct starpu_codelet, cpu_funcs));
	same("STARPU_NOWHERE", 1, STARPU_NOWHERE);
	same("STARPU_SPMD", 1, STARPU_SPMD);
	same("STARPU_R", 1, STARPU_R);
	same("STARPU_W", 2, STARPU_W);
	same("STARPU_SCRATCH", 4, STARPU_SCRATCH);
	same("STARPU_REDUX", 8, STARPU_REDUX);
	same("STARPU_COMMUTE", 16, STARPU_COMMUTE);
	same("STARPU_VARIABLE_NBUFFERS", (size_t)-1, (size_t)STARPU_VARIABLE_NBUFFERS);
	printf("%d fields lie elsewhere\n", n_wrong);
	return n_wrong != 0;
}

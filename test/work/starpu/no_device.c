/* SPDX-License-Identifier: MIT */
/* Tasks that no worker can run: their submission fails; from 1.4 on, they then count as cancelled.
 */
// expect: r["tasks"] - r["tasks_cancelled"] == 10 + 1
#include "common.h"

#include <errno.h>

static struct starpu_codelet nobody_cl = { .where = STARPU_CUDA, .name = "nobody" };

int main(void)
{
	int n_refused = 0;

	begin();
	for (int i = 0; i < 10; i++) {
		struct starpu_task *task = task_of(&nobody_cl, 0);

		if (starpu_task_submit(task) == -ENODEV) {
			n_refused++;
			task->destroy = 0;
			starpu_task_destroy(task);
		}
		MUST(starpu_task_submit(task_of(&run_cl, 1)));
	}
	starpu_task_wait_for_all();
	printf("%d\n", n_refused);
	finish(STARPU_MINOR_VERSION >= 4 ? 20 : 10);
	return 0;
}

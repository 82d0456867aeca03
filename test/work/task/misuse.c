// SPDX-License-Identifier: MIT
// misuse.c - marks that contradict others: the program is as without them; the report counts them.
// expect: "2 x create or wait outside" in r["runtimes"][0]["note"]
// expect: "2 x begin of a task that was not created" in r["runtimes"][0]["note"]
// expect: "4 x end of a task that does not run there" in r["runtimes"][0]["note"]
// expect: "3 x resume of a task that runs" in r["runtimes"][0]["note"]
// expect: "4 x mark that names a task" in r["runtimes"][0]["note"]
// expect: "1 x access that is none" in r["runtimes"][0]["note"]
#include "shims/task/tptrace_task.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct tptrace_runtime trace = { "misused", "1", 0 };
static tptrace_task_t elsewhere;
static struct tptrace_here left;

static void code(void)
{
}

static void *other(void *unused)
{
	struct tptrace_here here;

	tptrace_task_end(&left); // of a task of another thread
	tptrace_task_begin(&elsewhere, &here);
	tptrace_task_end(&here);
	tptrace_task_end(&here); // once more
	return unused;
}

int main(void)
{
	tptrace_task_t task = 0, none = 0, second = 0;
	struct tptrace_here here, inner, zero;
	pthread_t thread;

	memset(&zero, 0, sizeof(zero));
	memset(&inner, 0, sizeof(inner));
	tptrace_task_end(&zero); // without a begin
	tptrace_task_create(&trace, &task, &here, code, NULL);
	tptrace_task_create(&trace, &second, &inner, code, NULL); // in the runtime
	tptrace_task_wait(&trace, &inner, TPTRACE_WAIT_CHILDREN, NULL, NULL);
	tptrace_task_resume(&inner); // was not left: passed over, as nothing is known of it
	tptrace_task_resume(&here);
	tptrace_task_resume(&here); // once more
	tptrace_task_resume(&zero); // was not left
	tptrace_task_create(&trace, &elsewhere, &here, code, NULL);
	tptrace_task_group(task, &task); // not the last one created
	tptrace_task_after(elsewhere, none);
	tptrace_task_access(elsewhere, &task, (enum tptrace_access)7);
	tptrace_task_resume(&here);
	tptrace_task_begin(&task, &inner);
	memcpy(&left, &inner, sizeof(left));
	pthread_create(&thread, NULL, other, NULL);
	pthread_join(thread, NULL);
	tptrace_task_end(&inner);
	tptrace_task_end(&left); // once more, by a copy
	tptrace_task_begin(&task, &inner); // once more
	tptrace_task_end(&inner);
	tptrace_task_begin(&none, &inner); // not created
	tptrace_task_end(&inner);
	tptrace_task_wait_for(&trace, &here, 0, NULL); // for none
	tptrace_task_resume(&here);
	memset(&here, 0, sizeof(here));
	tptrace_task_resume(&here); // was not left
	tptrace_task_discard(&task); // has ended
	printf("done\n");
	return 0;
}

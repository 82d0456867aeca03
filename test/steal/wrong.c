/* SPDX-License-Identifier: MIT */
/*
 * wrong.c - programs whose marks are wrong, one a case of argv[1]: `wrong:` is where check-marks
 * has to say so, and `other:` the mark that it names besides.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "shims/task/tptrace_task.h"

static struct tptrace_runtime trace = { "wrong", "1", 0 };
static struct tptrace_here here, inner;
static tptrace_task_t task, second;
static int object, group;

static void make(tptrace_task_t *made)
{
	tptrace_task_create(&trace, made, &here, 0, NULL);
	tptrace_task_resume(&here);
}

static void run(tptrace_task_t *made)
{
	tptrace_task_begin(made, &inner);
	tptrace_task_end(&inner);
}

static void *run_elsewhere(void *made)
{
	run(made);
	return NULL;
}

static void on_thread(void *(*code)(void *), void *of)
{
	pthread_t thread;

	pthread_create(&thread, NULL, code, of);
	pthread_join(thread, NULL);
}

static void ends_twice(void)
{
	make(&task);
	tptrace_task_begin(&task, &inner);
	tptrace_task_end(&inner); /* other: */
	tptrace_task_end(&inner); /* wrong: second end */
}

static void *begin_copy(void *copy)
{
	tptrace_task_begin(copy, &inner); /* wrong: second begin */
	tptrace_task_end(&inner);
	return NULL;
}

static void begins_on_two_threads(void)
{
	make(&task);
	second = task; /* a handle that was copied */
	tptrace_task_begin(&task, &here); /* other: */
	on_thread(begin_copy, &second);
	tptrace_task_end(&here);
}

static void ends_without_a_begin(void)
{
	memset(&here, 0x5a, sizeof(here));
	tptrace_task_end(&here); /* wrong: end without a begin */
}

static void begins_uncreated(void)
{
	tptrace_task_t none = 0;

	tptrace_task_begin(&none, &here); /* wrong: not created */
	tptrace_task_end(&here);
}

static void waits_while_it_waits(void)
{
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_YIELD, NULL, NULL);  /* other: */
	tptrace_task_wait(&trace, &inner, TPTRACE_WAIT_YIELD, NULL, NULL); /* wrong: left */
	tptrace_task_resume(&inner);
	tptrace_task_resume(&here);
}

static void *rest(void *unused)
{
	run(&task);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_LOCK, &object, NULL); /* wrong: in no task */
	tptrace_task_resume(&here);
	return unused;
}

static void waits_in_no_task(void)
{
	make(&task);
	on_thread(rest, NULL);
}

static void resumes_twice(void)
{
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_YIELD, NULL, NULL);
	tptrace_task_resume(&here); /* other: */
	tptrace_task_resume(&here); /* wrong: second resume */
}

static void is_never_resumed(void)
{
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_YIELD, NULL, NULL); /* wrong: not resumed */
}

static void ends_while_it_waits(void)
{
	make(&task);
	tptrace_task_begin(&task, &inner);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_CHILDREN, NULL, NULL); /* other: */
	tptrace_task_end(&inner); /* wrong: was not resumed */
}

static void releases_by_unknown(void)
{
	tptrace_task_release_by(0, &object); /* wrong: names a task */
}

static void releases_before_its_end(void)
{
	make(&task); /* its creation is in make() */
	tptrace_task_release_by(task, &object); /* wrong: has not ended */
	run(&task);
}

static void says_data_late(void)
{
	tptrace_task_create(&trace, &task, &here, 0, NULL); /* other: */
	tptrace_task_resume(&here);
	run(&task);
	tptrace_task_data(task, &object, TPTRACE_ACCESS_READ, 8, 0); /* wrong: behind the resume */
}

static void works_without_clock(void)
{
	static struct tptrace_device device = { { "device", "", 0 }, 1000, 0 };

	tptrace_task_operation(&device, 1, 2, 0, NULL); /* wrong: clock was not marked */
	tptrace_task_clock(&device, 2);
	tptrace_task_operation(&device, 1, 2, 0, NULL);
}

static void works_backwards(void)
{
	static struct tptrace_device disk = { { "disk", "", 0 }, 0, 0 };

	tptrace_task_operation(&disk, 2, 1, 0, NULL); /* wrong: ends before it begins */
}

static void says_access_late(void)
{
	tptrace_task_create(&trace, &task, &here, 0, NULL); /* other: */
	tptrace_task_resume(&here);
	tptrace_task_access(task, &object, TPTRACE_ACCESS_READ); /* wrong: behind the resume */
	run(&task);
}

static void waits_for_less(void)
{
	tptrace_task_create(&trace, &task, &here, 0, NULL); /* other: */
	tptrace_task_resume(&here);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_CHILDREN, NULL, NULL);
	tptrace_task_resume(&here); /* wrong: has ended */
	run(&task);
}

static void waits_for_less_of_a_group(void)
{
	tptrace_task_create(&trace, &task, &here, 0, NULL); /* other: */
	tptrace_task_group(task, &group);
	tptrace_task_resume(&here);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_GROUP, &group, NULL);
	tptrace_task_resume(&here); /* wrong: has ended */
	run(&task);
}

static void begins_too_early(void)
{
	tptrace_task_create(&trace, &task, &here, 0, NULL); /* other: */
	tptrace_task_resume(&here);
	tptrace_task_create(&trace, &second, &here, 0, NULL);
	tptrace_task_after(second, task);
	tptrace_task_resume(&here);
	tptrace_task_begin(&second, &inner); /* wrong: comes after */
	tptrace_task_end(&inner);
	run(&task);
}

static void begins_unreleased(void)
{
	tptrace_task_create(&trace, &task, &here, 0, NULL); /* other: */
	tptrace_task_needs(task, &object);
	tptrace_task_resume(&here);
	tptrace_task_begin(&task, &inner); /* wrong: before the object */
	tptrace_task_end(&inner);
}

static void shares_here(void)
{
	make(&task);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_CHILDREN, NULL, NULL); /* other: */
	tptrace_task_begin(&task, &inner);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_CHILDREN, NULL, NULL); /* wrong: here */
	tptrace_task_resume(&here);
	tptrace_task_end(&inner);
	_exit(0); /* the first wait cannot be resumed any more */
}

static void ends_the_lower_one(void)
{
	make(&task);
	make(&second);
	tptrace_task_begin(&task, &here);
	tptrace_task_begin(&second, &inner); /* other: */
	tptrace_task_end(&here); /* wrong: below */
	tptrace_task_end(&inner);
}

static void never_runs_it(void)
{
	tptrace_task_create(&trace, &task, &here, 0, NULL); /* wrong: neither begun */
	tptrace_task_resume(&here);
}

static void discards_what_ran(void)
{
	tptrace_task_create(&trace, &task, &here, 0, NULL); /* other: */
	tptrace_task_resume(&here);
	run(&task);
	tptrace_task_discard(&task); /* wrong: discard */
}

static void dies(void)
{
	tptrace_task_end(&here); /* wrong: end without a begin */
	fflush(stdout);
	abort();
}

static void is_right(void)
{
	make(&task);
	on_thread(run_elsewhere, &task);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_CHILDREN, NULL, NULL);
	tptrace_task_resume(&here);
	exit(7);
}

static const struct {
	const char *name;
	void (*code)(void);
} cases[] = {
#define CASE(name) { #name, name }
	CASE(ends_twice),	    CASE(begins_on_two_threads),
	CASE(ends_without_a_begin), CASE(begins_uncreated),
	CASE(waits_while_it_waits), CASE(waits_in_no_task),
	CASE(resumes_twice),	    CASE(is_never_resumed),
	CASE(ends_while_it_waits),  CASE(releases_by_unknown),
	CASE(releases_before_its_end), CASE(says_access_late),
	CASE(says_data_late),	    CASE(works_without_clock),
	CASE(works_backwards),
	CASE(waits_for_less),	    CASE(waits_for_less_of_a_group),
	CASE(begins_too_early),	    CASE(begins_unreleased),
	CASE(shares_here),	    CASE(ends_the_lower_one),
	CASE(never_runs_it),	    CASE(discards_what_ran),
	CASE(dies),		    CASE(is_right),
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
			cases[i].code();
	for (size_t i = 0; argc == 1 && i < sizeof(cases) / sizeof(cases[0]); i++)
		puts(cases[i].name);
	return 0;
}

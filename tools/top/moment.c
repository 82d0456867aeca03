/* SPDX-License-Identifier: MIT */
/* moment.c - breaks the newest part of a trace down, by the analyses of reports. */
#include "tools/top/moment.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/base/at_most.h"

static void put_names(FILE *out, const void *of)
{
	sites_put(of, out);
}

/* Since the part's first event. */
static uint64_t since_ns(const struct run *run, uint64_t units)
{
	uint64_t ns = units ? reader_ns(run->reader, units) : 0;

	return ns > run->dag.begin_ns ? ns - run->dag.begin_ns : 0;
}

/* The last `ns` of it. */
static int select_last(struct live *live, uint64_t ns, struct err *err)
{
	struct run *run = &live->run;
	uint64_t elapsed_ns = run->dag.elapsed_ns, begin_ns = run->dag.begin_ns;
	uint64_t known_ns = since_ns(run, live->part.known_units);
	uint64_t before_ns = begin_ns - reader_ns(run->reader, live->part.begin_units);
	struct phases_wanted last = { .from_ns = elapsed_ns > ns ? elapsed_ns - ns : 0,
				      .to_ns = elapsed_ns };

	if (known_ns > last.from_ns && known_ns < last.to_ns)
		last.from_ns = known_ns;
	live->from_ns = before_ns + last.from_ns;
	live->until_ns = before_ns + last.to_ns;
	phases_free(&run->phases);
	select_free(&run->select);
	return run_select(run, &last, err);
}

static int analyse_part(struct live *live)
{
	const struct select *select = run_selected(&live->run);
	const struct dag *dag = &live->run.dag;
	int error = pauses_find(&live->pauses, dag);

	live->facts = calloc(dag->n_kinds + 1ull, sizeof(*live->facts));
	if (!error && !live->facts)
		error = -ENOMEM;
	if (!error)
		error = ready_path_build(&live->path, dag, RUNTIMES_ALL);
	if (!error)
		error = kinds_of(dag, select, live->facts);
	if (!error)
		error = breakdown_build(&live->breakdown, dag, &live->path, &live->pauses, select);
	if (!error)
		error = rows_build(&live->rows, &live->run, dag, live->facts, &live->breakdown);
	return error;
}

static void sum_up(struct live *live)
{
	const struct course *course = &live->breakdown.course;
	double ns = 0, ready = 0;

	for (uint32_t i = 0; i < COURSE_CELLS; i++) {
		ns += course->cell[i].ns;
		ready += course->cell[i].ready;
	}
	live->ready = (ns > 0 ? ready / ns : 0) + (double)live->part.end.n_untold;
	for (uint32_t k = 0; k < live->run.dag.n_kinds; k++)
		live->n_tasks += live->facts[k].n_begun;
	/* these begin at the end of the part alone */
	live->n_tasks -= at_most(live->part.end.n_waiting - live->part.end.n_untold, live->n_tasks);
}

int live_build(struct live *live, struct follow *follow, const struct follow_wanted *wanted,
	       struct err *err)
{
	char path[40];
	int fd, error;

	*live = (struct live){ 0 };
	fd = follow_part(follow, wanted, &live->part, err);
	if (fd < 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	error = run_open(&live->run, path, NULL, err);
	close(fd);
	if (error)
		return error;
	if (follow->n_named != follow->n_sites &&
	    follow_name(follow, put_names, &live->run.sites) < 0)
		error = err_no_memory(err);
	if (!error)
		error = select_last(live, wanted->ns, err);
	if (!error && analyse_part(live) < 0)
		error = err_no_memory(err);
	if (!error)
		sum_up(live);
	return error;
}

void live_free(struct live *live)
{
	rows_free(&live->rows);
	breakdown_free(&live->breakdown);
	ready_path_free(&live->path);
	pauses_free(&live->pauses);
	free(live->facts);
	run_close(&live->run);
	*live = (struct live){ 0 };
}

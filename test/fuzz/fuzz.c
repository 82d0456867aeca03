/* SPDX-License-Identifier: MIT */
/* fuzz.c - reads a trace of any bytes in every way that the tools have. */
#include "test/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/base/dump.h"
#include "tools/base/load.h"
#include "tools/summary/profile.h"
#include "tools/report/report_json.h"
#include "tools/report/screen.h"

void fuzz_fail(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: not %s\n", file, line, what);
	abort();
}

int fuzz_file(const void *data, size_t bytes, char path[64])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	fuzz_check(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

void fuzz_told(int error, const struct err *err)
{
	fuzz_check(error == 0 || (error < 0 && err->code == error && err->text[0]));
	fuzz_check(!strchr(err->text, '\n'));
}

static FILE *nowhere(void)
{
	static FILE *out;

	if (!out)
		out = fopen("/dev/null", "we");
	fuzz_check(out);
	return out;
}

/* Every column adds up exactly to its component, and the components to all of the time. */
static void check_sums(const struct summary *summary)
{
	const struct breakdown *b = &summary->breakdown;
	struct charge sum = { 0 };
	uint64_t edges = 0;

	fuzz_check(charge_sum(&b->total) == summary->elapsed_ns * summary->dag->n_workers);
	for (uint32_t k = 0; k < summary->dag->n_kinds; k++) {
		sum.work_ns += b->kind[k].work_ns;
		sum.delay_ns += b->kind[k].delay_ns;
		sum.no_work_sched_ns += b->kind[k].no_work_sched_ns;
		sum.no_work_app_ns += b->kind[k].no_work_app_ns;
	}
	fuzz_check(sum.work_ns == b->total.work_ns && sum.delay_ns == b->total.delay_ns);
	fuzz_check(sum.no_work_sched_ns == b->total.no_work_sched_ns);
	fuzz_check(sum.no_work_app_ns == b->total.no_work_app_ns);
	for (int e = 0; e < EDGE_KINDS; e++)
		edges += b->delay_by_edge_ns[e];
	fuzz_check(edges == b->total.delay_ns);
}

static void print(const struct summary *summary)
{
	const struct look look = { .width = LOOK_WIDTH, .n_most = 20, .verbose = true };
	struct profile profile;

	json_report(nowhere(), summary);
	for (int by = 0; by < BY_COUNT; by++) {
		profile_build(&profile, summary, (enum profile_by)by);
		profile_csv(nowhere(), summary, &profile, NULL, true);
		screen_report(nowhere(), summary, &profile, &look);
		profile_free(&profile);
	}
}

/* Names are not looked up: that would be a test of libdw. */
static void report(struct reader *reader)
{
	struct summary summary = { 0 };
	struct run run = { .reader = reader };
	struct err err = { 0 };
	int error = dag_build(&run.dag, reader, &err);

	fuzz_told(error, &err);
	if (!error && run.dag.n_strands) {
		const char *wrong = dag_check(&run.dag);

		if (wrong)
			fuzz_fail(__FILE__, __LINE__, wrong);
		const struct phases_wanted wanted = { .to_ns = UINT64_MAX };
		struct defs defs = *reader_defs(reader);

		defs.n_modules = 0;
		sites_open(&run.sites, &defs);
		error = run_select(&run, &wanted, &err);
		if (!error)
			summary_build(&summary, &run, SUMMARY_USUAL | SUMMARY_PATHS);
		fuzz_told(error, &err);
		if (!error) {
			check_sums(&summary);
			summary.bounds = summary.compensate = summary.grains = true;
			print(&summary);
		}
	}
	summary_free(&summary);
	run_close(&run);
}

void fuzz_read(const char *path)
{
	struct reader *reader = NULL;
	struct err err = { 0 };
	int error = text_open(&reader, path, &err);

	fuzz_told(error, &err);
	fuzz_check(!error == (reader != NULL));
	if (error)
		return;
	fuzz_told(text_dump(reader, nowhere(), &err), &err);
	report(reader);
}

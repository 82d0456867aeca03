/* SPDX-License-Identifier: MIT */
/* job_times.c - keeps the calls of each rank, by which clocks are compared. */
#include "tools/export/job_times.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/at_most.h"
#include "tools/base/xalloc.h"

void job_times_open(struct job_times *times, uint32_t n)
{
	*times = (struct job_times){ .rank = xcalloc(n + 1ull, sizeof(*times->rank)),
				     .began_ns = xcalloc(n + 1ull, sizeof(*times->began_ns)),
				     .host = xcalloc(n + 1ull, sizeof(*times->host)) };
}

/* Puts it into the spool. */
static void keep_array(struct spool *spool, void *array, uint64_t n, size_t entry_bytes)
{
	void **at = array, *kept = spool_array(spool, n, entry_bytes);

	if (n)
		memcpy(kept, *at, n * entry_bytes);
	free(*at);
	*at = kept;
}

void job_times_add(struct job_times *times, const struct run *run)
{
	struct identity id = identity_of(run->reader);
	struct rank_calls *calls = xcalloc(1, sizeof(*calls));
	uint32_t i = times->n++;

	times->began_ns[i] = run_began_ns(run);
	times->host[i] = xstrdup(id.host ?: "");
	times->rank[i] =
		(struct job_rank){ .calls = calls,
				   .rank = id.rank,
				   .world = id.world,
				   .nth_world = identity_nth_world(&times->worlds, id.world) };
	rank_calls_find(calls, &run->dag, NULL, &run->machine, reader_defs(run->reader)->first.ns);
	calls->born_ns = run_born_ns(run);
	keep_array(&times->spool, &calls->call, calls->n_calls, sizeof(*calls->call));
	keep_array(&times->spool, &calls->message, calls->n_messages, sizeof(*calls->message));
	spool_rest(&times->spool);
	times->rank[i].clock = identity_host((const char *const *)times->host, i);
}

void job_times_find(struct job_times *times)
{
	job_match_open(&times->match, times->rank, times->n, &times->spool);

	if (!job_on_one_clock(&times->match))
		job_clock_find(&times->clock, &times->match);
	times->begin_ns = UINT64_MAX;
	for (uint32_t i = 0; i < times->n; i++) {
		uint32_t host = times->rank[i].clock;
		const struct rank_calls *calls = times->rank[i].calls;

		times->begin_ns = at_most(times->begin_ns,
					  job_clock_ns(&times->clock, host, calls->begin_ns));
		times->end_ns =
			at_least(times->end_ns, job_clock_ns(&times->clock, host, calls->end_ns));
		times->n_apart += times->clock.n_lines && !job_clock_has(&times->clock, host);
	}
}

void job_times_close(struct job_times *times)
{
	for (uint32_t i = 0; i < times->n; i++) {
		free((void *)times->rank[i].calls);
		free(times->host[i]);
	}
	job_match_close(&times->match);
	map_free(&times->worlds);
	free(times->rank);
	free(times->began_ns);
	free(times->host);
	spool_free(&times->spool);
	job_clock_free(&times->clock);
	*times = (struct job_times){ 0 };
}

uint64_t job_times_at(const struct job_times *times, uint64_t i, uint64_t ns)
{
	return times ? job_clock_ns(&times->clock, times->rank[i].clock, times->began_ns[i] + ns) -
			       times->begin_ns
		     : ns;
}

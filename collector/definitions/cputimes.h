/* SPDX-License-Identifier: MIT */
/*
 * cputimes.h - how long workers had a CPU, and waited for one: samples for the trace.
 *
 * While a session is drained, the collector asks a reader for the sums of each worker's thread, and
 * takes over what threads note when they come and leave (struct worker_cpu).  It samples after
 * 10 ms at first, then each time a 64th of the time so far has passed, and less often where workers
 * are many: so the samples of a run grow with the logarithm of its length.
 *
 * Used by one thread at a time.  Counts in shared memory are not trusted: they become numbers of
 * the trace, no more.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/trace/lines.h"
#include "collector/session/layout.h"
#include "collector/session/ring.h"

#define CPUTIMES_MOST 4096u /* samples that are kept; of more, the older half is dropped */
#define CPUTIMES_CPUS 1024u /* CPUs of a mask; of a larger machine no mask is known */

/* Where the sums are from, as `meta cpu_times` has it. */
enum cputimes_source {
	CPUTIMES_NONE, /* not asked yet */
	CPUTIMES_UNKNOWN,
	CPUTIMES_CLOCK,
	CPUTIMES_STAT,
	CPUTIMES_SCHEDSTAT,
};

/* The CPUs that a thread may use. */
struct cputimes_mask {
	unsigned long bits[CPUTIMES_CPUS / (8 * sizeof(unsigned long))];
	bool known;
};

/* Sums of a thread since it began, and its mask now. */
struct cputimes_reading {
	uint64_t run_ns, wait_ns;
	bool has_wait;
	struct cputimes_mask mask;
};

/*
 * Reads the sums of a thread of that process, 0 for this one, in its schedstat file, by bare system
 * calls.  False, and nothing taken, if there is none, or the kernel does not count: then it says 0
 * each.
 */
bool cputimes_read_schedstat(int pid, uint32_t thread, struct cputimes_reading *out);

/* Asks the kernel for a thread's mask, by a bare system call.  Keeps errno or not. */
void cputimes_read_mask(uint32_t thread, struct cputimes_mask *out);

/* Reads the sums of a thread of the process, and its mask; of thread 0, the CPU time of all of them
 * but the recorder's.  CPUTIMES_UNKNOWN if it cannot.  Keeps errno or not. */
typedef enum cputimes_source cputimes_reader(void *arg, uint32_t thread,
					     struct cputimes_reading *out);

struct cputimes_sample {
	uint64_t ticks, run_ns, wait_ns;
	uint32_t worker; /* CPUTIMES_PROCESS: all threads of the process */
	bool has_wait;
};
#define CPUTIMES_PROCESS UINT32_MAX

struct cputimes {
	cputimes_reader *reader; /* NULL: nobody samples */
	void *arg;
	enum cputimes_source source, written; /* the latter as the trace has it */
	uint64_t sampled_ns;
	uint64_t process_ns; /* the last of its samples */
	struct cputimes_sample
		*sample; /* not in the trace yet; or, if that is made at the end, all */
	uint32_t n;
	struct cputimes_mask *mask; /* by worker: the last that was read */
	uint32_t n_masks;
	uint32_t written_cpus; /* that all masks have together, as the trace has it */
};

/* When to sample next: ns of CLOCK_MONOTONIC. */
uint64_t cputimes_due_ns(const struct cputimes *times, const struct session *session);

/* Samples a worker, unless its times cannot be read at once: each time all of them. */
void cputimes_sample_worker(struct cputimes *times, uint32_t index, struct worker *worker,
			    const struct clock *clock);

/* Samples the process: each time after all workers. */
void cputimes_sample_process(struct cputimes *times, const struct clock *clock);

/* Writes the samples that there are, and where they are from, if that was not written. */
void cputimes_put(struct cputimes *times, uint32_t shift, struct lines *out);
void cputimes_clear(struct cputimes *times);

void cputimes_free(struct cputimes *times); /* a zeroed one is fine */

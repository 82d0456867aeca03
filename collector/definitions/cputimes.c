/* SPDX-License-Identifier: MIT */
/* cputimes.c - asks for the CPU times of threads, and makes sums of workers of them. */
#include "collector/definitions/cputimes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/session/proc.h"
#include "collector/trace/defs.h"
#include "collector/trace/grow.h"

#define LEAST_NS 10000000u	/* from one sample to the next, .. */
#define LEAST_WORKER_NS 100000u /* .. and for each worker: reading it takes some 3000 */
#define READ_NS 1000000u	/* it takes some 10000, unless the reader has no CPU meanwhile */
#define READ_TRIES 3
#define PARTS 2048u	 /* of the time so far, for each worker; .. */
#define WORKERS_MANY 32u /* .. if they are more than these */

bool cputimes_read_schedstat(int pid, uint32_t thread, struct cputimes_reading *out)
{
	char text[128], *at;
	uint64_t run_ns, wait_ns;

	/* no /proc, a sandbox, too many open files: they may be there next time */
	if (!proc_text_of(pid, (pid_t)thread, "schedstat", text, sizeof(text)))
		return false;
	run_ns = strtoull(text, &at, 10);
	wait_ns = strtoull(at, &at, 10);
	if (!strtoull(at, NULL, 10)) /* how often it ran */
		return false;
	*out = (struct cputimes_reading){ .run_ns = run_ns, .wait_ns = wait_ns, .has_wait = true };
	return true;
}

void cputimes_read_mask(uint32_t thread, struct cputimes_mask *out)
{
	*out = (struct cputimes_mask){ 0 };
	out->known = syscall(SYS_sched_getaffinity, thread, sizeof(out->bits), out->bits) > 0;
}

uint64_t cputimes_due_ns(const struct cputimes *times, const struct session *session)
{
	uint64_t n = atomic_load(&session->n_workers), begin_ns = session->begin.ns;
	uint64_t passed_ns = times->sampled_ns > begin_ns ? times->sampled_ns - begin_ns : 0;
	uint64_t rest_ns;

	if (n > WIRE_WORKERS) /* the program wrote over it */
		n = WIRE_WORKERS;
	rest_ns = passed_ns / PARTS * (n > WORKERS_MANY ? n : WORKERS_MANY);
	if (!times->reader)
		return UINT64_MAX;
	if (rest_ns < LEAST_NS)
		rest_ns = LEAST_NS;
	if (rest_ns < LEAST_WORKER_NS * n)
		rest_ns = LEAST_WORKER_NS * n;
	return times->sampled_ns + rest_ns;
}

/* Without memory there are fewer samples. */
static void sample_keep(struct cputimes *times, struct cputimes_sample sample)
{
	/* the newer half: a flight recorder has no events of the time of the others */
	if (times->n == CPUTIMES_MOST) {
		times->n /= 2;
		memmove(times->sample, times->sample + times->n, times->n * sizeof(sample));
	}
	if (grow(&times->sample, times->n, 1, sizeof(sample)))
		times->sample[times->n++] = sample;
}

/* A sample of the worker, unless it is older than its last one. */
static void sample_add(struct cputimes *times, struct worker *worker, struct cputimes_sample sample)
{
	struct worker_sampled *sampled = &worker->sampled;

	if ((int64_t)(sample.ticks - sampled->ticks) <= 0)
		return;
	if ((int64_t)(sample.run_ns - sampled->run_ns) < 0) /* what the kernel says may lag */
		sample.run_ns = sampled->run_ns;
	if (!sample.has_wait || (int64_t)(sample.wait_ns - sampled->wait_ns) < 0)
		sample.wait_ns = sampled->wait_ns;
	sampled->ticks = sample.ticks;
	sampled->run_ns = sample.run_ns;
	sampled->wait_ns = sample.wait_ns;
	sample_keep(times, sample);
}

/* Unless it is a sample already: *before. */
static void add_note(struct cputimes *times, struct worker *worker, uint64_t *before,
		     struct cputimes_sample note)
{
	note.wait_ns += worker->sampled.unread_ns;
	if (note.ticks != *before)
		sample_add(times, worker, note);
	*before = note.ticks;
}

static struct cputimes_sample sample_of(uint32_t index, uint64_t ticks, struct cpu_sums *sums,
					bool has_wait)
{
	return (struct cputimes_sample){ .ticks = ticks,
					 .run_ns = atomic_load(&sums->run_ns),
					 .wait_ns = atomic_load(&sums->wait_ns),
					 .worker = index,
					 .has_wait = has_wait };
}

/* What the threads noted since the last sample, the older first; at the process's end they do,
 * since nobody can ask the kernel then. */
static void add_notes(struct cputimes *times, uint32_t index, struct worker *worker)
{
	struct worker_cpu *cpu = &worker->cpu;
	struct worker_sampled *sampled = &worker->sampled;
	bool has_wait = atomic_load(&cpu->has_wait);
	uint64_t born = atomic_load(&cpu->born_ticks), last = atomic_load(&cpu->last_ticks);

	if (born)
		add_note(times, worker, &sampled->born_ticks,
			 sample_of(index, born, &cpu->born, has_wait));
	add_note(times, worker, &sampled->noted_ticks,
		 sample_of(index, atomic_load(&cpu->noted_ticks), &cpu->noted, has_wait));
	add_note(times, worker, &sampled->last_ticks,
		 sample_of(index, last, &cpu->last, atomic_load(&cpu->last.wait_ns) != 0));
}

/* Without memory no mask of it is known. */
static void keep_mask(struct cputimes *times, uint32_t index, const struct cputimes_mask *mask)
{
	if (index >= times->n_masks) {
		if (!grow(&times->mask, times->n_masks, index + 1 - times->n_masks, sizeof(*mask)))
			return;
		times->n_masks = index + 1;
	}
	if (mask->known)
		times->mask[index] = *mask;
}

/* The CPUs that all workers have together; 0 where one's mask was never read. */
static uint32_t cpus_together(const struct cputimes *times)
{
	struct cputimes_mask all = { 0 };
	const size_t n_words = sizeof(all.bits) / sizeof(all.bits[0]);
	uint32_t n_cpus = 0;

	for (uint32_t i = 0; i < times->n_masks; i++) {
		if (!times->mask[i].known)
			return 0;
		for (size_t k = 0; k < n_words; k++)
			all.bits[k] |= times->mask[i].bits[k];
	}
	for (size_t k = 0; k < n_words; k++)
		n_cpus += (uint32_t)__builtin_popcountl(all.bits[k]);
	return n_cpus;
}

/* What is read, and when: anew where that is not certain.  UNKNOWN where it never is. */
static enum cputimes_source read_at(const struct cputimes *times, uint32_t thread,
				    const struct clock *clock, struct cputimes_reading *out,
				    uint64_t *ticks)
{
	for (int i = 0; i < READ_TRIES; i++) {
		uint64_t begin_ns = clock_monotonic_ns();
		enum cputimes_source source;

		*ticks = clock_ticks_by(clock);
		source = times->reader(times->arg, thread, out);
		if (clock_monotonic_ns() - begin_ns <= READ_NS)
			return source;
	}
	return CPUTIMES_UNKNOWN;
}

/* The worker's thread read no waits when it came: they are known from its first sample on. */
static void count_unread(struct worker_sampled *sampled, uint32_t turns,
			 const struct cputimes_reading *now)
{
	if (now->has_wait && sampled->turns == turns)
		sampled->unread_ns += now->wait_ns - sampled->seen_ns;
	sampled->turns = now->has_wait ? turns : 0;
	sampled->seen_ns = now->wait_ns;
}

void cputimes_sample_worker(struct cputimes *times, uint32_t index, struct worker *worker,
			    const struct clock *clock)
{
	uint32_t turns = atomic_load(&worker->cpu.turns);
	uint32_t thread = atomic_load(&worker->cpu.thread);
	uint64_t base_ns = atomic_load(&worker->cpu.base.run_ns);
	uint64_t base_wait_ns = atomic_load(&worker->cpu.base.wait_ns);
	uint64_t noted_wait_ns = atomic_load(&worker->cpu.noted.wait_ns);
	bool has_wait = atomic_load(&worker->cpu.has_wait);
	uint64_t ticks = 0;
	struct cputimes_reading now = { 0 };
	enum cputimes_source source = CPUTIMES_UNKNOWN;

	if (turns & 1) /* a thread comes or leaves at this moment: next time */
		return;
	if (thread)
		source = read_at(times, thread, clock, &now, &ticks);
	if (atomic_load(&worker->cpu.turns) != turns) /* the reading may be of another thread */
		return;
	if (source > times->source)
		times->source = source;
	keep_mask(times, index, &now.mask);
	add_notes(times, index, worker);
	if (source <= CPUTIMES_UNKNOWN)
		return;
	if (!has_wait)
		count_unread(&worker->sampled, turns, &now);
	sample_add(times, worker,
		   (struct cputimes_sample){
			   .ticks = ticks,
			   .run_ns = base_ns + now.run_ns,
			   .wait_ns = (has_wait ? base_wait_ns + now.wait_ns : noted_wait_ns) +
				      worker->sampled.unread_ns,
			   .worker = index,
			   .has_wait = now.has_wait });
}

/*
 * Read after the workers: what it has beyond them is too much by what they had in between.  A
 * reader takes differences, so the sum must not fall: inside the program each thread that drains
 * leaves itself out, and they are not always the same.
 */
void cputimes_sample_process(struct cputimes *times, const struct clock *clock)
{
	struct cputimes_reading now = { 0 };
	uint64_t ticks = 0;

	if (read_at(times, 0, clock, &now, &ticks) <= CPUTIMES_UNKNOWN)
		return;
	if (now.run_ns > times->process_ns)
		times->process_ns = now.run_ns;
	sample_keep(times, (struct cputimes_sample){ .ticks = ticks,
						     .run_ns = times->process_ns,
						     .worker = CPUTIMES_PROCESS });
}

/* A worker that comes makes what was written no longer true, until its own mask is read. */
static void put_cpus(struct cputimes *times, struct lines *out)
{
	uint32_t n_cpus = cpus_together(times);

	if (n_cpus != times->written_cpus)
		lines_print(out, "meta workers_affinity %u\n", n_cpus);
	times->written_cpus = n_cpus;
}

void cputimes_put(struct cputimes *times, uint32_t shift, struct lines *out)
{
	static const char *const word[] = { [CPUTIMES_UNKNOWN] = "unknown",
					    [CPUTIMES_CLOCK] = "clock",
					    [CPUTIMES_STAT] = "stat",
					    [CPUTIMES_SCHEDSTAT] = "schedstat" };

	if (times->source != CPUTIMES_NONE && times->source != times->written)
		lines_print(out, "meta cpu_times %s\n", word[times->source]);
	times->written = times->source;
	put_cpus(times, out);
	for (uint32_t i = 0; i < times->n; i++) {
		const struct cputimes_sample *sample = &times->sample[i];

		struct defs_cpu cpu = { .units = sample->ticks >> shift,
					.run_ns = sample->run_ns,
					.wait_ns = sample->wait_ns,
					.worker = sample->worker,
					.has_wait = sample->has_wait };

		if (sample->worker == CPUTIMES_PROCESS)
			defs_put_process(out, &cpu);
		else
			defs_put_cpu(out, &cpu);
	}
}

void cputimes_clear(struct cputimes *times)
{
	times->n = 0;
}

void cputimes_free(struct cputimes *times)
{
	free(times->sample);
	free(times->mask);
	*times = (struct cputimes){ 0 };
}

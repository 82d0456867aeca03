/* SPDX-License-Identifier: MIT */
/* cpu.h - CPU time of a worker's threads: what they note, and what the collector has sampled. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* Sums of the threads that have had a worker: CPU time, and time in wait for a CPU. */
struct cpu_sums {
	_Atomic uint64_t run_ns, wait_ns;
};

/*
 * Each thread's from when it came to when it left; and what it had before, since it began or the
 * session did, if the worker had no other thread meanwhile (preload/cputime.c).  A thread notes
 * them when it comes and leaves; the collector samples meanwhile.
 */
struct worker_cpu {
	_Atomic uint32_t turns;	 /* odd while a thread comes or leaves */
	_Atomic uint32_t thread; /* its id in its PID namespace; 0: none, or its clock is unknown */
	_Atomic uint32_t has_wait; /* the thread read what it had waited when it came */
	struct cpu_sums base;	   /* add them to the thread's; they may wrap */
	/* when what it had before began, at the latest (0: it had nothing); when a thread came or
	 * left last; when the process was about to end; and the sums then */
	_Atomic uint64_t born_ticks, noted_ticks, last_ticks;
	struct cpu_sums born, noted, last;
	uint64_t left_ns; /* when it left, on CLOCK_MONOTONIC; the worker's own */
};

/* How far the samples of a worker's CPU times have come: the collector's own. */
struct worker_sampled {
	uint64_t noted_ticks, last_ticks; /* those of struct worker_cpu that are samples */
	uint64_t born_ticks;
	uint64_t ticks, run_ns, wait_ns; /* of the last sample */
	/* waits of threads that read none when they came: the sum; the last such thread's turn, and
	 * what it had waited at its last sample */
	uint64_t unread_ns, seen_ns;
	uint32_t turns;
};

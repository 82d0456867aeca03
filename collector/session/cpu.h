/* SPDX-License-Identifier: MIT */
/* cpu.h - CPU time of a worker's threads: what they note, and what the collector has sampled. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/*
 * CPU time of the threads that have had a worker, each from when it came to when it left.  A
 * thread notes it when it comes and leaves (preload/cputime.h); the collector samples it meanwhile.
 */
struct worker_cpu {
	_Atomic uint32_t turns;	 /* odd while a thread comes or leaves */
	_Atomic uint32_t thread; /* its id in its PID namespace; 0: none, or its clock is unknown */
	_Atomic uint64_t base_ns;		/* add it to the thread's CPU time; it may wrap */
	_Atomic uint64_t noted_ticks, noted_ns; /* when a thread came or left last; the sum then */
	_Atomic uint64_t last_ticks, last_ns;	/* likewise, when the process was about to end */
	_Atomic uint64_t last_wait_ns; /* what the thread had waited for a CPU; 0: not known */
};

/* How far the samples of a worker's CPU times have come: the collector's own. */
struct worker_sampled {
	uint64_t noted_ticks, last_ticks; /* those of struct worker_cpu that are samples */
	uint64_t ticks, run_ns;		  /* of the last sample */
	uint64_t wait_ns,
		wait_base_ns; /* likewise; add it to what the thread waited; it may wrap */
	uint32_t turns;	      /* struct worker_cpu's, since that thread came */
};

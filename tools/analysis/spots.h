/* SPDX-License-Identifier: MIT */
/*
 * spots.h - where tasks meet inside their code, or leave it for the kernel, as stack samples show.
 *
 * The functions of libraries in a stack say that it takes or awaits a lock, libc's of rand(), the
 * time zone or the allocator, or one of the program's; the instruction says that it waited for
 * memory, or spins; or the thread was inside the kernel, or throws or formats.  Several workers at
 * one cache line hinder one another; one alone does not, nor do locks that nobody else wants.
 */
#pragma once

#include "tools/dag/dag.h"

enum code_spot {
	SPOT_NONE,
	SPOT_LOCK,
	SPOT_RAND, /* these hold one lock of libc's, .. */
	SPOT_ZONE, /* .. and that of the time zone */
	SPOT_ALLOCATOR,
	SPOT_ATOMIC,  /* after an atomic operation .. */
	SPOT_LINE,    /* .. or a load or store, of memory that others write */
	SPOT_SPIN,    /* in a loop that waits for memory */
	SPOT_FAULTS,  /* and calls for memory */
	SPOT_CALLS,   /* of the kernel */
	SPOT_THROWS,  /* exceptions */
	SPOT_FORMATS, /* streams, locales, printf() */
	SPOT_MATCHES, /* regular expressions, compiled or matched */
	SPOTS
};

/* All samples of a kind at one spot. */
struct kind_spot {
	kind_id kind;
	enum code_spot spot;
	uint64_t n, n_together; /* samples with a CPU; of which another worker was there, too, .. */
	uint64_t n_apart;	/* .. of which it used another word of the cache line */
	uint64_t asleep_ns;	/* slept there */
	uint64_t n_returned;	/* FAULTS: samples in which it gives memory back */
	/* all of the kind, likewise */
	uint64_t n_kind, asleep_kind_ns;
	/* with the most samples: */
	const char *function; /* of the library, as the user's code calls it, .. */
	bool is_own;	      /* .. or of the user's own code */
	bool counts;	      /* ATOMIC: the copies of a std::shared_ptr */
	const char *header;   /* of a library, whose code was inlined there; NULL */
	char place[128];      /* the user's that calls it, or where that is; "" */
	uint32_t wait;	      /* in dag->wait[], whose line that is, too; 0: none */
};

/* Where tasks of a kind sleep most, in what is no wait that the recorder sees. */
struct kind_sleep {
	kind_id kind;
	uint64_t ns, most_ns; /* all samples; those there */
	const char *function; /* as struct kind_spot has them: */
	bool is_own;
	char place[128];
	bool is_timed; /* until a time comes */
};

/* Calls of the runtime in the line that creates tasks of the kind. */
struct kind_creation {
	uint64_t n, n_copying; /* samples; of which it copied what the task gets */
};

struct kind_spots {
	struct kind_spot *spot;
	struct kind_sleep *sleep;
	struct kind_creation *creation;	   /* by kind */
	const uint64_t *kind_n, *memory_n; /* .. likewise, borrowed: as struct code has them */
	uint32_t n, n_sleeps;
	uint64_t period_ns; /* of CPU time, that a sample stands for */
	uint64_t n_all;	    /* samples with a CPU, of all of the run */
	bool all_taken;	    /* also inside the kernel */
};

#define SURE_SAMPLES 16u /* of n independent samples the error is 1/sqrt(n): a quarter */

/* CPU time that n samples stand for, in ns, of cpu_ns of all workers: a thread runs for a while
 * before the collector takes samples of it, which counts where the system knows that. */
static inline double spots_ns(const struct kind_spots *spots, uint64_t n, uint64_t cpu_ns)
{
	double taken = (double)spots->n_all * (double)spots->period_ns, all = (double)cpu_ns;

	return (double)n * (double)spots->period_ns *
	       (spots->all_taken && all > taken ? all / taken : 1);
}

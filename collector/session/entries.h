/* SPDX-License-Identifier: MIT */
/*
 * entries.h - the entries of a session's tables (layout.h): sites, runtimes, modules, marks, and
 * what the process says of itself.
 *
 * They hold no address of this memory: a text is an offset into the session's.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SESSION_RUNTIMES 16u

/* A text that session_keep() took: where it is in session.text; 0 is none. */
typedef uint32_t session_text;

struct session_site {
	uint64_t return_address, function;
	session_text name; /* may be none */
	session_text file; /* .. that the runtime says; may be none */
	uint32_t line;	   /* .. */
	uint32_t runtime;
	uint32_t return_module, function_module; /* 1 + where they were then; 0: in none */
};

/* A frame of a creating stack: where it calls, and the path to it. */
struct session_path {
	uint32_t site;	 /* of the return address */
	uint32_t parent; /* 0: none */
};

struct session_runtime {
	char name[32], version[32];
	_Atomic session_text note;     /* may be none */
	_Atomic session_text unlinked; /* likewise */
	_Atomic uint32_t calls_ps;     /* of the shim for a strand, besides events; 0: not known */
	_Atomic uint32_t n_workers;    /* most so far */
	_Atomic uint32_t tokens;       /* fewest that a pipeline had; 0: there was none */
};

struct session_counter {
	session_text name, unit; /* the unit may be none */
};

struct session_module {
	uint64_t start, end; /* addresses of its segments */
	uint64_t bias;	     /* address = bias + ELF virtual address */
	session_text path;
	uint8_t build_id[20];
	uint32_t build_id_bytes;
	uint32_t is_loaded; /* others may be in its place, before and after */
};

/* A mark of the whole process: recording starts or stops, a phase, a region. */
struct session_mark {
	uint64_t ticks;
	uint32_t what;		/* enum wire_mark */
	_Atomic uint32_t place; /* 1 + its number among all marks; set last */
	char name[112];		/* of a phase, or of a region that begins or ends */
};

/* The process's description of itself at the session's start. */
struct process_info {
	session_text exe, command, host, kernel, machine, rank, ranks, local_rank;
	session_text job, launcher, batch; /* TPTRACE_JOB; a launcher of ranks calls it; Slurm */
	session_text params;	    /* TPTRACE_PARAM: n=1000,.. */
	session_text baseline;	    /* TPTRACE_BASELINE: how this run differs from the other */
	session_text slow;	    /* TPTRACE_SLOW: KIND=1200@.. */
	session_text virtual;	    /* a probe rules time: where it is from */
	session_text program, output, folder; /* short name, TPTRACE_OUTPUT, where it stood */
	session_text ring;		      /* the ring file, if it is one */
	int32_t ppid;
	uint32_t cores, affinity; /* CPUs of the machine; of its mask, 0: not known */
	uint64_t quota_milli;	  /* of its cgroups, in thousandths of a CPU; 0: none */
	uint64_t began_ns;	  /* when the process did, on CLOCK_MONOTONIC; 0: not known */
	int64_t recorded;	  /* s since 1970 */
	uint8_t quiet, detailed;  /* TPTRACE_VERBOSE: say nothing; say also what is not needed */
};

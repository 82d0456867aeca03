/* SPDX-License-Identifier: MIT */
/*
 * sample_ring.h - samples of one thread, as the kernel takes them by its CPU clock.
 *
 * An ordinary user may have them of an own process (perf_event_paranoid 2), without its inside of
 * the kernel; no processor's counters are needed.  The thread notices nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/session/sample_place.h"
#include "tools/sample/insn.h"
#include "tools/sample/unwind.h"

struct sample_ring {
	int fd, faults_fd;
	void *map;
	uint64_t bytes;	   /* of the ring, without the kernel's page before it */
	bool counts;	   /* a sample says what the counters have */
	uint64_t n_faults; /* page faults of the thread, as of its last sample, .. */
	uint64_t fault_ip; /* .. and where that was in one; 0: it was not */
	uint64_t fault_at; /* where a sample was in one last */
	uint64_t n_held_off; /* samples that faults seen so far can still have held off */
};

enum sample_what { SAMPLE_NONE, SAMPLE_TAKEN, SAMPLE_LOST };

struct sample {
	enum sample_what what;
	uint64_t n_lost; /* LOST: how many */
	uint64_t ns;	 /* TAKEN: when, by CLOCK_MONOTONIC; .. */
	bool in_kernel;
	bool has_faulted;	 /* in a page, since the sample before */
	struct unwind_start at;	 /* .. where; its stack is in `bytes` */
	uint64_t reg[INSN_REGS]; /* those of instructions; 0 where there are none */
	_Alignas(8) char bytes[SAMPLE_STACK + 256];
};

/* Registers as perf has them (MACHINE_REGS). */
void sample_set_registers(struct sample *sample, const uint64_t *reg);

/* Inside the kernel by a system call or a fault.  Else the thread was interrupted, or had just lost
 * its CPU: its own code is where it was. */
static inline bool sample_calls_kernel(const struct sample *sample, const struct insn *insn)
{
	return sample->in_kernel && (sample->has_faulted || (insn && insn->op == DEFS_SYSCALL));
}

/* 0 or -errno; -EACCES, -EPERM, -ENOSYS: not permitted.  `kernel`: also while it is in there. */
int sample_ring_open(struct sample_ring *ring, uint32_t thread, uint64_t period_ns, bool kernel);

/* Takes the oldest. */
void sample_ring_take(struct sample_ring *ring, struct sample *sample);

void sample_ring_close(struct sample_ring *ring); /* a zeroed one is fine */

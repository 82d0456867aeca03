/* SPDX-License-Identifier: MIT */
/* timer_ring.c - copies a sample out of the program's memory. */
#include "tools/sample/timer_ring.h"

#include <string.h>

#include "tools/sample/sample_machine.h"

static void copy_sample(const struct placed_sample *placed, struct sample *sample)
{
	uint64_t reg[SAMPLE_REGS];

	sample->what = SAMPLE_TAKEN;
	sample->ns = placed->ns;
	/* the signal comes once the kernel is left, of whose time it may be: the call before the
	 * address says so (sample_calls_kernel()) */
	sample->in_kernel = true;
	sample->has_faulted = false;
	sample->at = (struct unwind_start){ .ip = placed->ip };
	if (!MACHINE_UNWINDS)
		return;
	memcpy(reg, placed->reg, sizeof(reg));
	sample_set_registers(sample, reg);
	sample->at.bytes = placed->bytes <= SAMPLE_STACK ? placed->bytes : 0;
	sample->at.stack = memcpy(sample->bytes, placed->stack, SAMPLE_STACK);
	if (sample->at.bytes > SAMPLE_STACK) /* it was read twice */
		sample->at.bytes = 0;
}

void timer_ring_take(struct sample_place *place, uint64_t *lost_seen, struct sample *sample)
{
	uint64_t tail = atomic_load_explicit(&place->tail, memory_order_relaxed);
	uint64_t n = atomic_load_explicit(&place->head, memory_order_acquire) - tail;
	uint64_t lost = atomic_load_explicit(&place->lost, memory_order_relaxed);

	sample->what = SAMPLE_NONE;
	if (lost != *lost_seen) {
		sample->what = SAMPLE_LOST;
		sample->n_lost = lost - *lost_seen;
		*lost_seen = lost;
	} else if (n > 0 && n <= SAMPLE_PLACES) {
		copy_sample(&place->sample[tail % SAMPLE_PLACES], sample);
		atomic_store_explicit(&place->tail, tail + 1, memory_order_release);
	}
}

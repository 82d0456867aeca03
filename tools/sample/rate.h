/* SPDX-License-Identifier: MIT */
/*
 * rate.h - how many samples a second of CPU time this machine has for 0.5 % of it.
 *
 * Not the stack that a sample copies costs the program most, but the timer interrupt that takes it:
 * 1 us on bare metal, 30 to 40 us in some virtual machines.  So record takes samples of itself for
 * some ms before it starts the program, and compares how far it came meanwhile.
 */
#pragma once

#include <stdint.h>

#define RATE_HZ_LEAST 100u /* fewer tell nothing of a run of a second */
#define RATE_HZ_MOST 500u

/* CPU time that a sample costs the thread that it is of; 0: not measured, or not permitted.
 * Measures at its first call; a process forked later knows it, too. */
uint64_t rate_cost_ns(void);

/* The rate at which samples of that cost take 0.4 % of the time, from LEAST to MOST; 0 is MOST. */
uint32_t rate_hz(uint64_t cost_ns);

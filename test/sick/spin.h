/* SPDX-License-Identifier: MIT */
/* spin.h - work that takes a known time of a thread's CPU, however busy the machine is. */
#pragma once

#include "../bench/now.h"

/* Much shorter: some 100 ns. */
static inline void count_to(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		__asm__ volatile("" : "+r"(i));
}

/* The clock is a system call: each look is behind most of what was left, by how long the counting
 * before it took. */
static inline void spin_us(uint64_t us)
{
	uint64_t now = now_cpu_ns(), end = now + us * 1000, n = 1000;

	while (now < end) {
		uint64_t before = now;

		count_to(n);
		now = now_cpu_ns();
		if (now < end)
			n = n * (end - now) / (now - before + 1) * 7 / 8 + 100;
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * intern.h - gives each different pair of numbers a number of its own: 0, 1, .. in the order in
 * which they came.  One thread.
 */
#pragma once

#include <stdint.h>

#define INTERN_NONE UINT32_MAX

struct intern_pair {
	uint64_t a;
	uint32_t b;
};

struct intern {
	struct intern_pair *pair;
	uint32_t *slot; /* 1 + a pair's number; 0: free */
	uint32_t n, n_slots;
};

/* Its number, which is the old n if the pair is new; INTERN_NONE if that would be `most`, or
 * without memory. */
uint32_t intern_number(struct intern *intern, uint64_t a, uint32_t b, uint32_t most);

void intern_free(struct intern *intern); /* empty again; a zeroed one is fine */

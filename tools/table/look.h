/* SPDX-License-Identifier: MIT */
/* look.h - how a report on a screen is to look. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct look {
	unsigned width;	 /* no line is longer, if it can be helped; at least LOOK_NARROWEST */
	uint32_t n_most; /* rows of a table */
	bool bold, verbose;
};

#define LOOK_NARROWEST 60u
#define LOOK_WIDEST 200u
#define LOOK_WIDTH 100u /* where no terminal says another */

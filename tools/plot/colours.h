/* SPDX-License-Identifier: MIT */
/*
 * colours.h - one meaning, one colour: those of tools/view/page/colours.js on white, as 0xRRGGBB.
 *
 * test/plot/check.py compares the two.
 */
#pragma once

#include <stdint.h>
#include "tools/analysis/states.h"

#define COLOUR_KINDS 8u /* kinds with a colour of their own: tools/view/bins.h, BINS_LEADING */

enum { COLOUR_INK = 0x1b1f24,
       COLOUR_FAINT = 0x5a636d,
       COLOUR_PAPER = 0xffffff,
       COLOUR_LINE = 0xd3d8de,
       COLOUR_OTHERS = 0x9fb0c0,
       COLOUR_READY = 0x56b4e9, /* what a create-cont edge has on the page, the most of them */
       COLOUR_BOUND = 0xd4006a,
       COLOUR_SIMULATED = 0x009e73,
       COLOUR_PREDICTED = 0x7a3db8,
       COLOUR_RANGE = 0xfbe9c6 };

extern const uint32_t colour_of_kind[COLOUR_KINDS];
extern const uint32_t colour_of_state[STATES];
/* From the bottom up, above what runs; the rest up to P is idle. */
#define STATES_DRAWN (STATES - 2)
extern const enum state states_drawn[STATES_DRAWN];

enum component { OF_TOTAL_WORK, OF_DELAY, OF_NO_WORK_SCHED, OF_NO_WORK_APP, COMPONENTS };
extern const uint32_t colour_of_component[COMPONENTS];

/* SPDX-License-Identifier: MIT */
/* variants.h - variants of causes that more than one file tells apart. */
#pragma once

enum { PRODUCER_SLOW, PRODUCER_HOLDS, PRODUCER_STOLEN };
enum { TAIL_LATE, TAIL_LONG_ANYWAY }; /* whether the task could have begun much earlier */
/* what would help besides, at a wait that comes again and again */
enum { WAIT_OTHERS = 1, WAIT_EACH, WAIT_FEW, WAIT_UNEVEN, WAIT_BELOW };

/* SPDX-License-Identifier: MIT */
/*
 * arguments.h - parameters of wrappers that pass on what they get: integers and pointers.
 *
 *	WORDS_2		word a1, word a2
 *	ALONE_2		the same, where nothing comes behind them: `void` if there are none
 *	NAMES_2		a1, a2
 */
#pragma once

#include <stdint.h>

typedef uintptr_t word; /* an argument, as it is passed */

#define WORDS_0
#define WORDS_1 word a1
#define WORDS_2 WORDS_1, word a2
#define WORDS_3 WORDS_2, word a3
#define WORDS_4 WORDS_3, word a4
#define WORDS_5 WORDS_4, word a5
#define WORDS_6 WORDS_5, word a6
#define WORDS_7 WORDS_6, word a7
#define WORDS_8 WORDS_7, word a8
#define WORDS_9 WORDS_8, word a9
#define WORDS_10 WORDS_9, word a10
#define WORDS_11 WORDS_10, word a11
#define WORDS_12 WORDS_11, word a12
#define WORDS_13 WORDS_12, word a13
#define WORDS_14 WORDS_13, word a14
#define WORDS_15 WORDS_14, word a15
#define WORDS_16 WORDS_15, word a16
#define ALONE_0 void
#define ALONE_1 WORDS_1
#define ALONE_2 WORDS_2
#define ALONE_3 WORDS_3
#define ALONE_4 WORDS_4
#define ALONE_5 WORDS_5
#define ALONE_6 WORDS_6
#define ALONE_7 WORDS_7
#define ALONE_8 WORDS_8
#define ALONE_9 WORDS_9
#define ALONE_10 WORDS_10
#define ALONE_11 WORDS_11
#define ALONE_12 WORDS_12
#define ALONE_13 WORDS_13
#define ALONE_14 WORDS_14
#define ALONE_15 WORDS_15
#define ALONE_16 WORDS_16
#define NAMES_0
#define NAMES_1 a1
#define NAMES_2 NAMES_1, a2
#define NAMES_3 NAMES_2, a3
#define NAMES_4 NAMES_3, a4
#define NAMES_5 NAMES_4, a5
#define NAMES_6 NAMES_5, a6
#define NAMES_7 NAMES_6, a7
#define NAMES_8 NAMES_7, a8
#define NAMES_9 NAMES_8, a9
#define NAMES_10 NAMES_9, a10
#define NAMES_11 NAMES_10, a11
#define NAMES_12 NAMES_11, a12
#define NAMES_13 NAMES_12, a13
#define NAMES_14 NAMES_13, a14
#define NAMES_15 NAMES_14, a15
#define NAMES_16 NAMES_15, a16

/* SPDX-License-Identifier: MIT */
/*
 * arguments.h - parameters of wrappers that pass on what they get: integers and pointers.
 *
 * WORDS(2)	uintptr_t a1, uintptr_t a2
 * WORDS(0)	void
 * NAMES(2)	a1, a2
 *
 * EACH_2(M) is M(1), M(2), and EACH_0(M) is M_NONE.
 */
#pragma once

#include <stdint.h>

#define EACH_0(M) M##_NONE
#define EACH_1(M) M(1)
#define EACH_2(M) EACH_1(M), M(2)
#define EACH_3(M) EACH_2(M), M(3)
#define EACH_4(M) EACH_3(M), M(4)
#define EACH_5(M) EACH_4(M), M(5)
#define EACH_6(M) EACH_5(M), M(6)
#define EACH_7(M) EACH_6(M), M(7)
#define EACH_8(M) EACH_7(M), M(8)
#define EACH_9(M) EACH_8(M), M(9)
#define EACH_10(M) EACH_9(M), M(10)
#define EACH_11(M) EACH_10(M), M(11)
#define EACH_12(M) EACH_11(M), M(12)
#define EACH_13(M) EACH_12(M), M(13)
#define EACH_14(M) EACH_13(M), M(14)
#define EACH_15(M) EACH_14(M), M(15)
#define EACH_16(M) EACH_15(M), M(16)

#define ARGUMENT_WORD(i) uintptr_t a##i
#define ARGUMENT_WORD_NONE void
#define ARGUMENT_NAME(i) a##i
#define ARGUMENT_NAME_NONE
#define WORDS(n) EACH_##n(ARGUMENT_WORD)
#define NAMES(n) EACH_##n(ARGUMENT_NAME)

/* SPDX-License-Identifier: MIT */
/*
 * mthdl.c - the shim for libmyth-dl, under which a program's pthread functions are MassiveThreads'.
 *
 * It is preloaded before libmyth-dl, and only together with it: its wrappers are in the way of
 * every lock of the process.  Without libmyth-dl they pass on what they get.
 */
#define MTH_DL
#include "shims/mth/mth.c" /* once more, for other functions */

#include "shims/mth/mth_wrap.h"

MTH_PTHREAD(CALL_ROW, )

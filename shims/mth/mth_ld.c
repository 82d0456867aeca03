/* SPDX-License-Identifier: MIT */
/* mth_ld.c - the pthread functions of programs that are linked to libmyth-ld by ld --wrap. */
#include "shims/mth/mth_wrap.h"

#include "preload/poison.h"

MTH_PTHREAD(CALL_ROW, __wrap_)

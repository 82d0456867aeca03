/* SPDX-License-Identifier: MIT */
/* mth_ld.c - the pthread functions of programs that are linked to libmyth-ld by ld --wrap. */
#include "shims/mth/mth_names.h"

#include "preload/poison.h"

MTH_PTHREAD(CALL_WRAPPER, __wrap_)

MTH_WRAP_PTHREAD(__wrap_)

/* SPDX-License-Identifier: MIT */
/* program_cxx.cc - program.c, as C++. */
#include "program.c"

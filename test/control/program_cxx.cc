/* SPDX-License-Identifier: MIT */
/* program_cxx.cc - program.h, as C++. */
#include "program.h"

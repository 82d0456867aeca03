/* SPDX-License-Identifier: MIT */
/* program.c - see program.h. */
#include "program.h"

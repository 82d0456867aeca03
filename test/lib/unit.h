/* SPDX-License-Identifier: MIT */
/* unit.h - cmocka, behind what it wants included before it. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

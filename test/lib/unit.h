/* SPDX-License-Identifier: MIT */
/* unit.h - cmocka, behind what it wants included before it; and what most unit tests include. */
#pragma once

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

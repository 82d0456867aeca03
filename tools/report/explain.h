/* SPDX-License-Identifier: MIT */
/* explain.h - what a finding means, at length. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Prints it, in lines no longer than the screen; false if there is no finding of that id. */
bool explain_put(FILE *out, const char *id, int width);

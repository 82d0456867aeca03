/* SPDX-License-Identifier: MIT */
/* put_json.h - names of code as strings of JSON. */
#pragma once

#include <stdio.h>

void put_json_string(FILE *out, const char *text);

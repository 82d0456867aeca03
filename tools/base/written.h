/* SPDX-License-Identifier: MIT */
/* written.h - what a function prints, as a string. */
#pragma once

#include <stdio.h>

/* To be free()d.  *bytes without the 0 at its end; NULL is fine. */
char *written(void (*put)(FILE *out, const void *of), const void *of, size_t *bytes);

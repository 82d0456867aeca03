/* SPDX-License-Identifier: MIT */
/*
 * asleep.h - whether a thread of this process sleeps: who is to be waited for goes on only when the
 * other one waits, however busy the machine is.
 */
#pragma once

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static inline int asleep(int thread)
{
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	if ((file = fopen(path, "r")) == NULL)
		return 0;
	const char *end = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	fclose(file);
	return end != NULL && end[1] == ' ' && end[2] == 'S';
}

/* Returns when that thread, which *`thread` names as soon as it is about to wait, does. */
static inline void until_asleep(volatile int *thread)
{
	while (*thread == 0 || !asleep(*thread))
		usleep(200);
}

// SPDX-License-Identifier: MIT
// between.c - a tool stands between the program and Argobots, whose calls of itself are no others.
// lib: between_so.c
#include <stdio.h>

#include "streams.h"

#define N 64

static void add(void *arg)
{
	++*(int *)arg;
}

int main(void)
{
	int n[N] = { 0 }, wrong = 0;

	streams_start();
	for (int turn = 1; turn <= 4; turn++) {
		ABT_task task[N];

		for (int i = 0; i < N; i++)
			ABT_task_create(any_pool(i), add, &n[i], &task[i]);
		for (int i = 0; i < N; i++)
			ABT_task_free(&task[i]);
		for (int i = 0; i < N; i++)
			wrong += n[i] != turn;
	}
	streams_end();
	printf("%d wrong\n", wrong);
	printf("tptrace-edges create=%d join=%d\ntptrace-tasks %d\n", 4 * N, 4 * N, 4 * N);
	return 0;
}

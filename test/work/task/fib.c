// SPDX-License-Identifier: MIT
// fib.c - Fibonacci numbers: fib(n) creates a task for fib(n - 1), and waits for it.
// expect: r["edges"]["join"] == 986 and r["edges"]["create"] == 986
// expect: [x["version"] for x in r["runtimes"] if x["name"] == "steal"] == ["1"]
// expect: sorted(k["name"] for k in r["kinds"]) == ["fib", "main"]
#include "test/steal/steal.h"

#include <stdio.h>
#include <stdlib.h>

struct fib {
	struct steal_task task;
	int n;
	long value;
};

static void fib(void *arg)
{
	struct fib *self = arg, first = { .n = self->n - 1 }, second = { .n = self->n - 2 };
	struct steal_group group = { 0 };

	if (self->n < 2) {
		self->value = self->n;
		return;
	}
	steal_spawn(&first.task, &group, fib, &first);
	fib(&second);
	steal_wait(&group);
	self->value = first.value + second.value;
}

int main(void)
{
	struct fib root = { .n = 15 };

	steal_start((unsigned)atoi(getenv("STEAL_WORKERS")));
	fib(&root);
	steal_stop();
	// fib(n) creates c(n) = 1 + c(n - 1) + c(n - 2) tasks, that is fib(n + 1) - 1
	printf("%ld\ntptrace-tasks 986\n", root.value);
	return 0;
}

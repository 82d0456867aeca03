/* SPDX-License-Identifier: MIT */
/* fib.c - Fibonacci numbers on the toy runtime: fib(n) creates a task for fib(n - 1). */
#include "test/toy/toy.h"

#include <stdio.h>
#include <stdlib.h>

struct fib {
	int n;
	long value;
};

static void fib(void *arg)
{
	struct fib *self = arg, first = { self->n - 1, 0 }, second = { self->n - 2, 0 };
	struct toy_task *task;

	if (self->n < 2) {
		self->value = self->n;
		return;
	}
	task = toy_create(fib, &first);
	fib(&second);
	toy_wait(task);
	self->value = first.value + second.value;
}

int main(int argc, char **argv)
{
	struct fib root = { argc > 1 ? atoi(argv[1]) : 15, 0 };

	fib(&root);
	printf("%ld\n", root.value);
	return 0;
}

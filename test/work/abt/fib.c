// SPDX-License-Identifier: MIT
// fib.c - a ULT for each call, the first joined and freed, the second freed alone.
// expect: [x["name"] for x in r["runtimes"]] == ["Argobots"]
// expect: [k["tasks"] for k in r["kinds"] if k["name"] == "fib"] == [r["tasks_ended"] - 1]
#include <stdio.h>

#include "streams.h"

struct call {
	int n, value;
};

static void fib(void *arg)
{
	struct call *call = arg, one = { call->n - 1, 0 }, two = { call->n - 2, 0 };
	ABT_thread first, second;

	call->value = call->n;
	if (call->n < 2)
		return;
	ABT_thread_create(any_pool(call->n), fib, &one, ABT_THREAD_ATTR_NULL, &first);
	ABT_thread_create(any_pool(call->n + 1), fib, &two, ABT_THREAD_ATTR_NULL, &second);
	ABT_thread_join(first);
	ABT_thread_free(&first);
	ABT_thread_free(&second);
	call->value = one.value + two.value;
}

static void leaf(void *arg)
{
	*(int *)arg = 1;
}

static int calls(int n)
{
	return n < 2 ? 1 : 1 + calls(n - 1) + calls(n - 2);
}

int main(void)
{
	struct call call = { 12, 0 };
	int n = calls(call.n), done = 0;
	ABT_thread root;
	ABT_task task;

	streams_start();
	ABT_task_create(any_pool(0), leaf, &done, &task); /* the main ULT's first */
	ABT_task_free(&task);
	ABT_thread_create(any_pool(1), fib, &call, ABT_THREAD_ATTR_NULL, &root);
	ABT_thread_free(&root);
	streams_end();
	printf("fib(%d) = %d, %d\n", call.n, call.value, done);
	printf("tptrace-edges create=%d join=%d\ntptrace-tasks %d\n", n + 1, n + 1, n + 1);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* many.c - create_join_many and _various: with and without attributes, ids, results; nested. */
#include <stdio.h>
#include <string.h>
#include "myth/myth.h"

#define N 100

struct item {
	long x, y;
	void *result;
};

static void *twice(void *arg)
{
	struct item *item = arg;

	if (item->x % 7 == 0)
		myth_yield();
	item->y = 2 * item->x;
	return (void *)item->y;
}

static void *negate(void *arg)
{
	struct item *item = arg;

	item->y = -item->x;
	return (void *)item->y;
}

static void *nested(void *arg)
{
	struct item *outer = arg, inner[3] = { { 1, 0, 0 }, { 2, 0, 0 }, { outer->x, 0, 0 } };

	myth_create_join_many_ex(0, 0, twice, inner, 0, 0, 0, sizeof(inner[0]), 0, 3);
	outer->y = inner[0].y + inner[1].y + inner[2].y;
	return (void *)outer->y;
}

static long sums(const struct item *item, int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++)
		sum += (i + 1) * (item[i].y + (long)item[i].result);
	return sum;
}

int main(void)
{
	static struct item item[N];
	static myth_func_t func[N];
	static myth_thread_t id[N];
	myth_thread_attr_t attr = { 0 };
	int n_ids = 0, n_tasks = 0, sizes[] = { 1, 2, 31, 32, 33, N };

	myth_thread_attr_init(&attr);
	for (int i = 0; i < N; i++)
		func[i] = i % 2 ? twice : negate;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		int n = sizes[s];

		memset(item, 0, sizeof(item));
		for (int i = 0; i < N; i++)
			item[i].x = i + 3;
		myth_create_join_many_ex(0, 0, twice, item, &item[0].result, 0, 0, sizeof(item[0]),
					 sizeof(item[0]), n);
		printf("many %d: %ld\n", n, sums(item, n));
		attr.child_first = (int)s % 2;
		myth_create_join_various_ex(id, &attr, func, item, &item[0].result, sizeof(id[0]),
					    0, sizeof(func[0]), sizeof(item[0]), sizeof(item[0]),
					    n);
		printf("various %d: %ld\n", n, sums(item, n));
		for (int i = 0; i < n; i++)
			n_ids += id[i] != 0;
		myth_create_join_many_ex(0, 0, nested, item, 0, 0, 0, sizeof(item[0]), 0, n);
		printf("nested %d: %ld\n", n, sums(item, n));
		n_tasks += n + n + n + 3 * n;
	}
	myth_create_join_many_ex(0, 0, twice, item, 0, 0, 0, sizeof(item[0]), 0, 0);
	printf("%d ids\ntptrace-tasks %d\n", n_ids, n_tasks);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* GOMP_task of seven arguments, as gcc 4.4 to 4.8 called it, with what is not an argument full of
 * ones: the eighth and later ones must not be read. */
// not-on: libomp
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned n_threads);
void GOMP_parallel_end(void);
void GOMP_taskwait(void);
void GOMP_task(void (*fn)(void *), void *data, void (*cpy)(void *, void *), long size, long align,
	       bool if_clause, unsigned flags);

struct fib {
	long n, *out;
};

static long n_copies;

static void fib_copy(void *to, void *from)
{
	memcpy(to, from, sizeof(struct fib));
	__sync_fetch_and_add(&n_copies, 1);
}

static void fib(void *data)
{
	volatile long ones[16]; /* leaves ones where a caller's stack arguments would be */
	struct fib *f = data;
	long a, b;

	for (int i = 0; i < 16; i++)
		ones[i] = -1;
	if (f->n < 2) {
		*f->out = f->n;
		return;
	}
	struct fib l = { f->n - 1, &a }, r = { f->n - 2, &b };

	GOMP_task(fib, &l, NULL, sizeof(l), _Alignof(struct fib), true, 0);
	GOMP_task(fib, &r, fib_copy, sizeof(r), _Alignof(struct fib), f->n != 5, f->n % 2);
	GOMP_taskwait();
	*f->out = a + b;
}

static void outlined(void *data)
{
	static int taken;

	if (__sync_fetch_and_add(&taken, 1) == 0)
		fib(data);
}

int main(void)
{
	long out = 0;
	struct fib f = { 12, &out };

	GOMP_parallel_start(outlined, &f, 0);
	outlined(&f);
	GOMP_parallel_end();
	printf("fib(12) = %ld copies %ld\n", out, n_copies);
	printf("tptrace-tasks 464\n");
	return out != 144;
}

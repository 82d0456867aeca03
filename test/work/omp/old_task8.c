/* SPDX-License-Identifier: MIT */
/* GOMP_task of eight arguments, as gcc 4.9 and 5 called it, with the old depend array:
 * {n, n_out, addresses}; GOMP_parallel. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

void GOMP_parallel(void (*fn)(void *), void *data, unsigned n_threads, unsigned flags);
void GOMP_task(void (*fn)(void *), void *data, void (*cpy)(void *, void *), long size, long align,
	       bool if_clause, unsigned flags, void **depend);

#define DEPEND 8u

struct args {
	unsigned *a, *sum, i;
};

static void update(void *data)
{
	struct args *p = data;

	*p->a = *p->a * 3 + p->i;
}

static void look(void *data)
{
	struct args *p = data;

	__sync_fetch_and_add(p->sum, *p->a * (p->i + 1));
}

static void outlined(void *data)
{
	struct args p = *(struct args *)data;
	static int taken;

	if (__sync_fetch_and_add(&taken, 1))
		return;
	for (p.i = 0; p.i < 40; p.i++) {
		void *out[] = { (void *)(uintptr_t)1, (void *)(uintptr_t)1, p.a };
		void *in[] = { (void *)(uintptr_t)2, (void *)(uintptr_t)0, p.a, p.sum };

		GOMP_task(update, &p, NULL, sizeof(p), _Alignof(struct args), p.i % 8 != 7, DEPEND,
			  out);
		for (int k = 0; k < 2; k++)
			GOMP_task(look, &p, NULL, sizeof(p), _Alignof(struct args), true, DEPEND,
				  in);
		GOMP_task(look, &p, NULL, sizeof(p), _Alignof(struct args), false, DEPEND, in);
	}
}

int main(void)
{
	unsigned a = 1, sum = 0, want_a = 1, want_sum = 0;
	struct args p = { &a, &sum, 0 };

	GOMP_parallel(outlined, &p, 0, 0);
	for (unsigned i = 0; i < 40; i++) {
		want_a = want_a * 3 + i;
		want_sum += 3 * want_a * (i + 1);
	}
	printf("a %u sum %u\n", a, sum);
	printf("tptrace-tasks 160\n");
	return a != want_a || sum != want_sum;
}

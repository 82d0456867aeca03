/* SPDX-License-Identifier: MIT */
/* GOMP_task called by hand for every argument size 0 and 2..80 and alignment 1..256: what
 * fn and cpyfn are given is aligned, whole, and theirs to write. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void GOMP_parallel(void (*fn)(void *), void *data, unsigned n_threads, unsigned flags);
void GOMP_task(void (*fn)(void *), void *data, void (*cpy)(void *, void *), long size, long align,
	       bool if_clause, unsigned flags, void **depend, int priority, void *detach);

static long n_ran, n_wrong;

/* byte 0: size, byte 1: log2 of the alignment, then a ramp */
static void check(void *data)
{
	unsigned char *b = data;
	int wrong = (uintptr_t)b % (1u << b[1]) != 0;

	for (int i = 2; i < b[0]; i++)
		wrong |= b[i] != (unsigned char)(i * 7 + b[1]);
	memset(b, 0xee, b[0]);
	__sync_fetch_and_add(&n_wrong, wrong);
	__sync_fetch_and_add(&n_ran, 1);
}

static void check_nothing(void *data)
{
	__sync_fetch_and_add(&n_ran, 1);
}

static void copy(void *to, void *from)
{
	unsigned char *b = from;

	__sync_fetch_and_add(&n_wrong, (uintptr_t)to % (1u << b[1]) != 0);
	memcpy(to, from, b[0]);
}

static void outlined(void *data)
{
	static unsigned char src[512] __attribute__((aligned(256)));
	static int taken;

	if (__sync_fetch_and_add(&taken, 1))
		return;
	for (int size = 2; size <= 80; size++)
		for (int log = 0; log <= 8; log++)
			for (int how = 0; how < 4; how++) {
				src[0] = size;
				src[1] = log;
				for (int i = 2; i < size; i++)
					src[i] = i * 7 + log;
				GOMP_task(check, src, how & 1 ? copy : NULL, size, 1l << log,
					  how & 2, 0, NULL, 0, NULL);
				if (how == 0) /* undeferred, no cpyfn: src itself, or a copy */
					memset(src, 0, sizeof(src));
			}
	for (int how = 0; how < 2; how++)
		GOMP_task(check_nothing, NULL, NULL, 0, 1, how, 0, NULL, 0, NULL);
}

int main(void)
{
	GOMP_parallel(outlined, NULL, 0, 0);
	printf("ran %ld wrong %ld\n", n_ran, n_wrong);
	printf("tptrace-tasks %d\n", 79 * 9 * 4 + 2);
	return n_wrong != 0;
}

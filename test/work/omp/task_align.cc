/* SPDX-License-Identifier: MIT */
/* alignas(64) and alignas(256) firstprivate: GOMP_task with arg_align above malloc's, cpyfn and
 * not. */
// not-on: libomp
#include <atomic>
#include <cstdint>
#include <cstdio>

static std::atomic<long> n_misaligned, sum;

static void aligned_check(const volatile void *p, uintptr_t align)
{
	if ((uintptr_t)p % align)
		n_misaligned++;
}

struct alignas(64) plain {
	int v[16];
};

struct alignas(256) copied {
	int v[64];
	copied() : v() {}
	copied(const copied &o)
	{
		aligned_check(this, 256);
		for (int i = 0; i < 64; i++)
			v[i] = o.v[i];
	}
	~copied() { aligned_check(this, 256); }
};

int main()
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 100; i++) {
		plain p;
		copied c;

		for (int k = 0; k < 16; k++)
			p.v[k] = c.v[4 * k] = i + k;
#pragma omp task firstprivate(p) if (i % 2)
		{
			aligned_check(&p, 64);
			for (int k = 0; k < 16; k++)
				sum += p.v[k];
		}
#pragma omp task firstprivate(p, c) if (i % 3)
		{
			aligned_check(&p, 64);
			aligned_check(&c, 256);
			for (int k = 0; k < 16; k++)
				sum += p.v[k] + c.v[4 * k];
		}
	}
	printf("sum %ld misaligned %ld\n", sum.load(), n_misaligned.load());
	printf("tptrace-tasks 200\n");
	return n_misaligned != 0;
}

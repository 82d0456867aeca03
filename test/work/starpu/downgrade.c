/* SPDX-License-Identifier: MIT */
/* Data that the program writes and then only reads: readers begin while it still holds it
 * (StarPU 1.4). */
#include "common.h"

#include <unistd.h>

enum { ROUNDS = 5 };

static long n_looked, seen;

static void look(void *buffers[], void *arg)
{
	seen += *number_of(buffers[0]);
	__atomic_fetch_add(&n_looked, 1, __ATOMIC_RELEASE);
}
static struct starpu_codelet look_cl = ON_NUMBER(look, STARPU_R, "look");

/* From here on others may read. */
static void only_read(starpu_data_handle_t handle)
{
#if STARPU_MAJOR_VERSION == 1 && STARPU_MINOR_VERSION < 4
	starpu_data_release(handle);
	MUST(starpu_data_acquire(handle, STARPU_R));
#else
	starpu_data_release_to(handle, STARPU_R);
#endif
}

int main(void)
{
	long x = 0;
	starpu_data_handle_t handle = begin_with(&x);

	for (int i = 1; i <= ROUNDS; i++) {
		MUST(starpu_data_acquire(handle, STARPU_RW));
		x += 100;
		insert(&look_cl, handle, 0);
		usleep(1000);
		only_read(handle);
		while (__atomic_load_n(&n_looked, __ATOMIC_ACQUIRE) < i)
			usleep(100);
		insert(&add_cl, handle, 1);
		usleep(1000);
		starpu_data_release(handle);
	}
	starpu_data_unregister(handle);
	/* a look after both releases before it, an add after the look and a release; and after the
	 * add before */
	printf("%ld %ld\ntptrace-edges depend=%d\n", x, seen, 3 * ROUNDS + 2 * (ROUNDS - 1));
	finish(2 * ROUNDS);
	return 0;
}

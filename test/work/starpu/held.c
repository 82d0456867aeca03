/* SPDX-License-Identifier: MIT */
/* Much data that the program reads, some of it twice: who writes waits until it is let go as often
 * as it was acquired. */
#include "common.h"

#include <unistd.h>

enum { MANY = 100, TWICE = 10 };

int main(void)
{
	static long x[MANY];
	starpu_data_handle_t handle[MANY];
	long sum = 0;

	begin();
	for (int i = 0; i < MANY; i++) {
		handle[i] = number(&x[i]);
		MUST(starpu_data_acquire(handle[i], STARPU_R));
		if (i < TWICE)
			MUST(starpu_data_acquire(handle[i], STARPU_R));
		insert(&add_cl, handle[i], 1);
	}
	for (int i = 0; i < TWICE; i++)
		starpu_data_release(handle[i]);
	usleep(1000);
	for (int i = 0; i < MANY; i++)
		sum += x[i]; /* nobody has written yet */
	for (int i = 0; i < MANY; i++)
		starpu_data_release(handle[i]);
	for (int i = 0; i < MANY; i++) {
		starpu_data_unregister(handle[i]);
		sum += x[i];
	}
	printf("%ld\ntptrace-edges depend=%d\n", sum, MANY + TWICE);
	finish(MANY);
	return 0;
}

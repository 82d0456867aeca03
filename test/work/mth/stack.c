/* stack.c - a call of the runtime takes less than 4 KiB of a task's stack, the recorder included */
// env: LD_BIND_NOW=1
#include <myth/myth.h>
#include <stdint.h>
#include <stdio.h>
#include "../painted.h"

static void *nothing(void *arg)
{
	return arg;
}

static void *measures(void *arg)
{
	volatile char *frame = __builtin_frame_address(0);
	myth_thread_t thread = 0;
	intptr_t most = 0;

	for (int i = 0; i < 9; i++) { /* the first time each place is found out */
		paint(frame);
		switch (i % 3) {
		case 0:
			thread = myth_create(nothing, NULL);
			break;
		case 1:
			myth_join(thread, NULL);
			break;
		default:
			myth_yield();
		}
		int now = used(frame);

		most = now > most ? now : most;
	}
	return (void *)most;
}

int main(void)
{
	myth_thread_t thread[6];
	intptr_t all = 0;

	for (int i = 0; i < 6; i++)
		thread[i] = myth_create(measures, NULL);
	for (int i = 0; i < 6; i++) {
		void *most;

		myth_join(thread[i], &most);
		all = (intptr_t)most > all ? (intptr_t)most : all;
	}
	if (all > PAINTED_MOST)
		printf("%ld bytes\n", (long)all);
	printf("tptrace-tasks 24\n");
	return all > PAINTED_MOST;
}

/* stack.c - a call of the runtime takes less than 4 KiB of a task's stack, the recorder included */
// env: LD_BIND_NOW=1
#include <qthread/qthread.h>
#include <stdio.h>
#include "../painted.h"

static aligned_t nothing(void *arg)
{
	return 0;
}

static aligned_t measures(void *arg)
{
	volatile char *frame = __builtin_frame_address(0);
	aligned_t ret;
	int most = 0;

	for (int i = 0; i < 9; i++) { /* the first time each place is found out */
		paint(frame);
		switch (i % 3) {
		case 0:
			qthread_fork(nothing, NULL, &ret);
			break;
		case 1:
			qthread_readFF(NULL, &ret);
			break;
		default:
			qthread_yield();
		}
		int now = used(frame);

		most = now > most ? now : most;
	}
	return (aligned_t)most;
}

int main(void)
{
	aligned_t most[6], all = 0;

	qthread_initialize();
	for (int i = 0; i < 6; i++)
		qthread_fork(measures, NULL, &most[i]);
	for (int i = 0; i < 6; i++) {
		qthread_readFF(NULL, &most[i]);
		all = most[i] > all ? most[i] : all;
	}
	if (all > PAINTED_MOST)
		printf("%lu bytes\n", (unsigned long)all);
	printf("tptrace-tasks 24\n");
	return all > PAINTED_MOST;
}

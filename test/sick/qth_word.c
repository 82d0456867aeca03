/* SPDX-License-Identifier: MIT */
/* qth_word.c - a full/empty word as the lock of a histogram.  FIXED: one for each task. */
#include <qthread/qthread.h>

#include "spin.h"

#define ROWS 80

static aligned_t histogram = 1, done[ROWS];

static aligned_t scan(void *arg)
{
#ifdef FIXED
	(void)arg;
	spin_us(3000);
#else
	aligned_t count;

	(void)arg;
	spin_us(500);
	qthread_readFE(&count, &histogram);
	spin_us(2500);
	qthread_writeEF(&histogram, &count);
#endif
	return 0;
}

int main(void)
{
	qthread_initialize();
	for (int i = 0; i < ROWS; i++)
		qthread_fork_to(scan, NULL, &done[i], (qthread_shepherd_id_t)(i % 2));
	for (int i = 0; i < ROWS; i++)
		qthread_readFF(NULL, &done[i]);
	return 0;
}

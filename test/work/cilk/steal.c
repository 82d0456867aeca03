// SPDX-License-Identifier: MIT
// expect: 19e6 < r["span_ns"] < 0.9 * r["work_ns"]
// Children that sleep: with more than one worker, what comes after each spawn is stolen.  All of
// a sync's sleep at once, were there workers enough, and those of the next one after them.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "lowered.h"

#define CHILDREN 4
#define NAP_US 10000

static void nap(pthread_t *thread)
{
	*thread = pthread_self();
	usleep(NAP_US);
}

CILK_HELPER(spawn_nap, (pthread_t * thread), nap(thread))

static int naps(void)
{
	pthread_t child[CHILDREN], me = pthread_self();
	int moved = 0;

	CILK_ENTER;
	for (int i = 0; i < CHILDREN; i++) {
		CILK_SPAWN(spawn_nap, &child[i]);
		moved += !pthread_equal(me, pthread_self());
		me = pthread_self();
	}
	CILK_SYNC;
	CILK_LEAVE;
	return moved;
}

int main(void)
{
	pthread_t me = pthread_self();
	int moved = naps() + naps();

	printf("%s\n", moved > 0 ? "stolen" : "not stolen");
	printf("%s\n", pthread_equal(me, pthread_self()) ? "came home" : "got lost");
	printf("tptrace-tasks %d\n", 2 * CHILDREN);
	return 0;
}

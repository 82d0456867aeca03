/* SPDX-License-Identifier: MIT */
/* streams.h - starts and ends ABT_MAX_NUM_XSTREAMS execution streams, each with a pool. */
#pragma once

#include <abt.h>
#include <stdlib.h>

#define STREAMS_MOST 64

static ABT_xstream stream[STREAMS_MOST];
static ABT_pool pool[STREAMS_MOST];
static int n_streams = 1;

static void streams_start(void)
{
	const char *most = getenv("ABT_MAX_NUM_XSTREAMS");

	n_streams = most ? atoi(most) : 1;
	ABT_init(0, NULL);
	ABT_xstream_self(&stream[0]);
	for (int i = 1; i < n_streams; i++)
		ABT_xstream_create(ABT_SCHED_NULL, &stream[i]);
	for (int i = 0; i < n_streams; i++)
		ABT_xstream_get_main_pools(stream[i], 1, &pool[i]);
}

static void streams_end(void)
{
	for (int i = 1; i < n_streams; i++) {
		ABT_xstream_join(stream[i]);
		ABT_xstream_free(&stream[i]);
	}
	ABT_finalize();
}

static inline ABT_pool any_pool(int i)
{
	return pool[i % n_streams];
}

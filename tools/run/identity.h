/* SPDX-License-Identifier: MIT */
/* identity.h - the process that a trace was recorded of. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/map.h"
#include "tools/trace/reader.h"

/* Who a trace is of, as its definitions say; strings are the reader's. */
struct identity {
	const char *host, *program, *ended; /* NULL if not said */
	bool has_rank;
	uint64_t rank, n_ranks, pid; /* n_ranks: of its job; 0 if not said */
	uint32_t world;		     /* of ranks: by what the launcher calls their job; or 0 */
	uint32_t nth_world;	     /* where somebody has numbered them, from 1 on */
};

struct identity identity_of(const struct reader *reader);
/* From 1 on, as worlds are met: those of a job are its own ranks', and those that they spawned. */
uint32_t identity_nth_world(struct map *met, uint32_t world);
/* "rank 1"; of ranks that others spawned, "rank 1 of world 2". */
#define RANK_NAME 48
/* Likewise; "pid 4711" of one without a rank. */
char *identity_who(char name[RANK_NAME], const struct identity *id);
char *identity_rank(char name[RANK_NAME], uint64_t rank, uint32_t nth_world);
/* By rank, those without one last; then host, then pid: < 0, 0, > 0. */
int identity_order(const struct identity *a, const struct identity *b);
/* The first process on the same host, which stands for it: of hosts up to the i-th. */
uint32_t identity_host(const char *const *host, uint32_t i);

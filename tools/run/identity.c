/* SPDX-License-Identifier: MIT */
/* identity.c - reads it from the definitions. */
#include "tools/run/identity.h"

#include <string.h>

#include "tools/base/base_name.h"

struct identity identity_of(const struct reader *reader)
{
	const struct defs *defs = reader_defs(reader);
	struct identity id = { .host = defs_meta(defs, "host"),
			       .program = path_base(defs_meta(defs, "exe")),
			       .ended = defs_meta(defs, "ended"),
			       .pid = defs_meta_number(defs, "pid") };
	const char *rank = defs_meta(defs, "rank");

	id.has_rank = rank && defs_number(rank, &id.rank) == 0;
	return id;
}

int identity_order(const struct identity *a, const struct identity *b)
{
	int hosts = strcmp(a->host ? a->host : "", b->host ? b->host : "");

	if (a->has_rank != b->has_rank)
		return a->has_rank ? -1 : 1;
	if (a->has_rank && a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (hosts)
		return hosts;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

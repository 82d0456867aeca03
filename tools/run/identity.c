/* SPDX-License-Identifier: MIT */
/* identity.c - reads it from the definitions. */
#include "tools/run/identity.h"

#include <string.h>

#include "tools/base/base_name.h"
#include "tools/base/map.h"
#include "tools/base/order.h"

struct identity identity_of(const struct reader *reader)
{
	const struct defs *defs = reader_defs(reader);
	struct identity id = { .host = defs_meta(defs, "host"),
			       .program = path_base(defs_meta(defs, "exe")),
			       .ended = defs_meta(defs, "ended"),
			       .n_ranks = defs_meta_number(defs, "ranks"),
			       .pid = defs_meta_number(defs, "pid") };
	const char *rank = defs_meta(defs, "rank"), *launcher = defs_meta(defs, "launcher");

	if (launcher)
		id.world = (uint32_t)map_hash(MAP_HASH, launcher);
	id.has_rank = rank && defs_number(rank, &id.rank) == 0;
	return id;
}

int identity_order(const struct identity *a, const struct identity *b)
{
	return order_most(a->has_rank, b->has_rank) ?:
	       order_least(a->has_rank ? a->rank : 0, b->has_rank ? b->rank : 0) ?:
	       strcmp(a->host ? a->host : "", b->host ? b->host : "") ?:
	       order_least(a->pid, b->pid);
}

uint32_t identity_host(const char *const *host, uint32_t i)
{
	uint32_t first = 0;

	while (strcmp(host[first], host[i]) != 0)
		first++;
	return first;
}

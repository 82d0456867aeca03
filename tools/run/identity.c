/* SPDX-License-Identifier: MIT */
/* identity.c - reads it from the definitions. */
#include "tools/run/identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/base_name.h"
#include "tools/base/order.h"
#include "tools/base/units.h"

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

uint32_t identity_nth_world(struct map *met, uint32_t world)
{
	uint64_t *nth = map_put(met, world);

	*nth = *nth ?: met->n;
	return (uint32_t)*nth;
}

char *identity_rank(char name[RANK_NAME], uint64_t rank, uint32_t nth_world)
{
	strcpy(name, "rank ");
	units_rank(name + strlen(name), rank, nth_world);
	return name;
}

char *identity_who(char name[RANK_NAME], const struct identity *id)
{
	if (id->has_rank)
		return identity_rank(name, id->rank, id->nth_world);
	snprintf(name, RANK_NAME, "pid %" PRIu64, id->pid);
	return name;
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

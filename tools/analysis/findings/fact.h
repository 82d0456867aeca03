/* SPDX-License-Identifier: MIT */
/*
 * fact.h - what a finding's sentences say, each number and name with an id of its own.
 *
 * A cause adds facts when it makes the finding; its sentences are templates over them.  All that
 * they say but text of their own is a fact, so that a script need not read English.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "tools/analysis/locks.h"

enum fact_unit {
	FACT_NONE, /* ends a list */
	FACT_NS,
	FACT_COUNT,
	FACT_RANK,  /* likewise, said with its world */
	FACT_REAL,  /* a count with decimals */
	FACT_SHARE, /* of 1 */
	FACT_KIND,  /* the code of tasks */
	FACT_LOCK,
	FACT_TEXT
};

struct fact {
	const char *id; /* "steal", .. */
	enum fact_unit unit;
	union {
		uint64_t n; /* ns, a count, or a kind_id */
		struct {
			uint64_t n;
			uint32_t nth_world;
		} rank;
		double real;
		const struct lock *lock;
		const char *text;
	};
};
#define FACTS_MOST 40u

struct finding;
struct finding_names;

#define fact_ns(id, ns) ((struct fact){ id, FACT_NS, { .n = (ns) } })
#define fact_count(id, n_) ((struct fact){ id, FACT_COUNT, { .n = (n_) } })
#define fact_rank(id, of)                                                                          \
	((struct fact){ id, FACT_RANK, { .rank = { (of)->rank, (of)->nth_world } } })
#define fact_real(id, real_) ((struct fact){ id, FACT_REAL, { .real = (real_) } })
#define fact_share(id, share) ((struct fact){ id, FACT_SHARE, { .real = (share) } })
#define fact_kind(id, kind) ((struct fact){ id, FACT_KIND, { .n = (kind) } })
#define fact_lock(id, lock_) ((struct fact){ id, FACT_LOCK, { .lock = (lock_) } })
#define fact_string(id, text_) ((struct fact){ id, FACT_TEXT, { .text = (text_) } })

#define FACTS(finding, ...) facts_add(finding, (const struct fact[]){ __VA_ARGS__, { 0 } })
/* Up to the first that is FACT_NONE; ids and texts are to outlive the finding. */
void facts_add(struct finding *finding, const struct fact *facts);
/* NULL if it has none of that id. */
const struct fact *fact_of(const struct finding *finding, const char *id);
/* Its n; 0 if it has none of that id. */
uint64_t fact_n(const struct finding *finding, const char *id);
/* As sentences say it.  Returns out. */
char *fact_text(const struct fact *fact, const struct finding_names *names, char *out, size_t room);
/* "ns", "count", "share" or "text". */
const char *fact_unit_name(const struct fact *fact);

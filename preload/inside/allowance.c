/* SPDX-License-Identifier: MIT */
/* allowance.c - fits session and collector into the memory that the program's limits leave. */
#include "preload/inside/allowance.h"

#include <stdint.h>

#include "collector/drain/drain.h"
#include "collector/session/process_limit.h"
#include "preload/inside/log.h"
#include "preload/budget.h"
#include "preload/session.h"

#define SESSION_TOUCHED (512u << 10) /* of a session's bytes, those that are written to, .. */
#define COLLECTOR_TOUCHED (3u << 20) /* .. and of a collector's */
#define KEEP_LEAST (1u << 20)	     /* of the newest events, where memory is limited */
#define PENDING_PARTS 256u	     /* of limited memory, this part is a worker's pending buffer */

bool allowance_has(const struct session *session, size_t more)
{
	const char *limit = NULL;

	if (!budget_allows(sizeof(*session) + worker_place(&session->chunks) + more))
		limit = "address space (ulimit -v)";
	else if (!budget_allows_own(more))
		limit = "data (ulimit -d)";
	if (limit)
		log_say("tptrace: the limit on %s leaves too little; nothing is recorded", limit);
	return !limit;
}

bool allowance_has_threads(const struct session *session)
{
	if (process_limit_fits(drain_most_threads(session), drain_cpus(session)))
		return true;
	log_say("tptrace: the limit on processes (ulimit -u, pids.max) leaves too few; nothing is "
		"recorded");
	return false;
}

bool allowance_take(struct session *session)
{
	uint64_t left = budget_left();
	uint32_t n = PENDING_SLOTS;

	while (n > PENDING_SLOTS_SHARED && n * sizeof(struct wire_event) > left / PENDING_PARTS)
		n /= 2;
	if (n == PENDING_SLOTS_SHARED || !session->options.collapse_ns)
		n = 0;
	session->pending_slots = n;
	while (session->options.keep_last && session->options.max_bytes > KEEP_LEAST &&
	       flight_log_bytes(drain_keeps(session)) > budget_left() / 2)
		session->options.max_bytes /= 2; /* the trace says how much it is */
	if (session->options.keep_last && budget_allows(flight_log_bytes(drain_keeps(session))))
		session->flight_bytes = flight_log_bytes(drain_keeps(session));
	if (budget_take(session->flight_bytes, BUDGET_NEEDED) &&
	    budget_take(SESSION_TOUCHED + COLLECTOR_TOUCHED, BUDGET_NEEDED))
		return true;
	log_say("tptrace: the memory limit (cgroup) leaves too little; nothing is recorded");
	return false;
}

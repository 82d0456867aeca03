/* SPDX-License-Identifier: MIT */
/* virtual_events.c - reads all events, and finds whose they are. */
#include "tools/model/virtual_events.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/base/order.h"
#include "tools/base/xalloc.h"
#include "tools/trace/reader.h"
#include "tools/dag/ids.h"
#include "tools/dag/merge.h"
#include "tools/dag/wait_rules.h"

static int read_worker(struct virtual_events *events, const struct reader *reader, uint32_t worker,
		       struct err *err)
{
	struct cursor cursor;
	const struct event *event = NULL;
	int got;

	cursor_open(&cursor, reader, worker);
	got = cursor_next(&cursor, &event, err);
	for (; got > 0; got = cursor_next(&cursor, &event, err)) {
		ARRAY_ADD(events->event, events->n, events->room, *event);
		events->discards |=
			event->kind == WIRE_DISCARD || event->kind == WIRE_DISCARD_NAMED;
	}
	cursor_close(&cursor);
	return got;
}

static bool begins(uint32_t kind)
{
	return kind == WIRE_ROOT || kind == WIRE_BEGIN || kind == WIRE_MEMBER ||
	       kind == WIRE_START || kind == WIRE_RESUME;
}

/* ---- whose ---- */

struct finding {
	struct virtual_events *events;
	const struct dag *dag;
	uint64_t *next; /* by worker: its next event that begins a strand, .. */
	uint64_t *end;	/* .. and where its events end */
};

static void skip_to_begin(struct finding *finding, uint32_t worker)
{
	while (finding->next[worker] < finding->end[worker] &&
	       !begins(finding->events->event[finding->next[worker]].kind))
		finding->next[worker]++;
}

/* The strands of a worker are in the order of its events. */
static int find_strand(struct finding *finding, strand_id s, struct err *err)
{
	uint32_t worker = finding->dag->strand[s].worker;
	uint64_t begin = finding->next[worker];

	if (begin == finding->end[worker])
		return err_set(err, EPROTO, "strand %u of worker %u has no event", s, worker);
	finding->events->begin[s] = begin;
	finding->next[worker]++;
	skip_to_begin(finding, worker);
	finding->events->n_events[s] = (uint32_t)(finding->next[worker] - begin);
	return 0;
}

/* ---- names ---- */

struct naming {
	struct map times;     /* name -> how often it was given */
	struct map signalled; /* names that are signalled, too: they stay */
	struct map at;	      /* worker -> events of it so far */
	struct map running;   /* worker -> id of its task */
	struct map waits;     /* id -> bag that it waits for, plus 1; 0 */
	struct map emptied;   /* bag -> how often who waited for it went on */
};

static uint64_t unique(uint64_t name, uint64_t times)
{
	return times > 1 ? name ^ times * UINT64_C(0x9e3779b97f4a7c15) : name;
}

static bool names_a_task(const struct event *event, const struct event *before)
{
	if (event->kind == WIRE_NAME)
		return true;
	if (event->kind == WIRE_DEPEND)
		return event->b >> 60 == WIRE_DEPEND_ON;
	return event->kind == WIRE_OBJECT && before && before->kind == WIRE_WAIT &&
	       wait_rule((enum wire_wait)(site_flags(before->b) & 0xff)) == WIRE_WAIT_NAMED;
}

static void rename_one(struct naming *naming, struct event *event, const struct event *before)
{
	uint64_t high = event->kind == WIRE_DEPEND ? event->b >> 60 << 60 : 0;
	uint64_t name = event->b ^ high, *times;

	if (!names_a_task(event, before) || map_find(&naming->signalled, name))
		return;
	times = map_put(&naming->times, name);
	*times += event->kind == WIRE_NAME;
	name = unique(name, *times);
	event->b = high ? high | (name & ((UINT64_C(1) << 60) - 1)) : name;
}

/* A bag is another one once who waited for it has gone on: its address may be used again. */
static void rename_bag(struct naming *naming, struct event *event, const struct event *before,
		       uint32_t worker)
{
	uint64_t *running = map_put(&naming->running, worker), *emptied, *waits;
	bool of_wait = event->kind == WIRE_OBJECT && before && before->kind == WIRE_WAIT &&
		       (site_flags(before->b) & 0xff) == WIRE_WAIT_BAG;
	uint64_t bag = event->b;

	if (begins(event->kind))
		*running = event->made ? event->made : event->b;
	waits = running ? map_put(&naming->waits, *running) : NULL;
	if (event->kind == WIRE_NOWAIT)
		*waits = 0;
	if (event->kind == WIRE_RESUME && *waits) {
		emptied = map_put(&naming->emptied, *waits - 1);
		*waits = 0;
		++*emptied;
	}
	if ((event->kind != WIRE_BAG && !of_wait) || map_find(&naming->signalled, bag))
		return;
	if (of_wait)
		*waits = bag + 1;
	emptied = map_put(&naming->emptied, bag);
	event->b = unique(bag, *emptied + 1);
}

static void note_signals(struct naming *naming, const struct virtual_events *events)
{
	for (uint64_t i = 0; i < events->n; i++)
		if (events->event[i].kind == WIRE_SIGNAL)
			map_put(&naming->signalled, events->event[i].b);
}

static unsigned no_rank(const void *context, uint32_t worker, const struct event *event)
{
	(void)context;
	(void)worker;
	(void)event;
	return 0;
}

/* In the order of time, since a name may be used again. */
static int rename_all(struct virtual_events *events, const uint64_t *first,
		      const struct reader *reader, struct err *err)
{
	struct naming naming = { 0 };
	struct merge merge;
	const struct event *event;
	uint64_t ns;
	int got = merge_open(&merge, reader, false, err);

	merge.rank = no_rank;
	if (got == 0)
		note_signals(&naming, events);
	while (got >= 0 && (got = merge_next(&merge, &event, &ns, err)) > 0) {
		uint64_t *at = map_put(&naming.at, merge.worker);
		struct event *mine = &events->event[first[merge.worker] + *at];

		rename_one(&naming, mine, *at ? mine - 1 : NULL);
		rename_bag(&naming, mine, *at ? mine - 1 : NULL, merge.worker);
		++*at;
	}
	merge_close(&merge);
	map_free(&naming.times);
	map_free(&naming.signalled);
	map_free(&naming.at);
	map_free(&naming.running);
	map_free(&naming.waits);
	map_free(&naming.emptied);
	return got;
}

/* ---- releases by others ---- */

ORDER(by_task, struct virtual_release, BY_LEAST(task))

static void note_releases(struct virtual_events *events, const struct dag *dag)
{
	for (uint64_t i = 0; i + 1 < events->n; i++) {
		const struct event *event = &events->event[i];

		if (event->kind != WIRE_SIGNAL_BY || event[1].kind != WIRE_OBJECT)
			continue;
		ARRAY_ADD(events->release, events->n_releases, events->release_room,
			  (struct virtual_release){ ids_named(dag->ids, event->b), event->b,
						    event[1].b });
	}
	SORT(events->release, events->n_releases, by_task);
}

const struct virtual_release *virtual_releases_of(const struct virtual_events *events, task_id task,
						  uint64_t *n)
{
	const struct virtual_release *end = events->release + events->n_releases, *first = NULL;
	const struct virtual_release wanted = { .task = task };

	*n = 0;
	if (events->n_releases)
		first = bsearch(&wanted, events->release, events->n_releases, sizeof(wanted),
				by_task);
	while (first && first > events->release && first[-1].task == task)
		first--;
	for (const struct virtual_release *r = first; r && r < end && r->task == task; r++)
		++*n;
	return first;
}

/* ---- all of it ---- */

int virtual_events_read(struct virtual_events *events, const struct reader *reader,
			const struct dag *dag, struct err *err)
{
	uint32_t n_workers = reader_facts(reader)->n_workers;
	struct finding finding = { .events = events, .dag = dag };
	uint64_t *first = xcalloc(n_workers + 1ull, sizeof(*first));
	int error = 0;

	finding.next = xcalloc(n_workers + 1ull, sizeof(*finding.next));
	finding.end = xcalloc(n_workers + 1ull, sizeof(*finding.end));
	events->begin = xcalloc(dag->n_strands + 1ull, sizeof(*events->begin));
	events->n_events = xcalloc(dag->n_strands + 1ull, sizeof(*events->n_events));
	for (uint32_t w = 0; w < n_workers && !error; w++) {
		first[w] = finding.next[w] = events->n;
		error = read_worker(events, reader, w, err);
		finding.end[w] = events->n;
	}
	if (!error) {
		error = rename_all(events, first, reader, err);
		if (!error)
			note_releases(events, dag);
	}
	for (uint32_t w = 0; w < n_workers && !error; w++)
		skip_to_begin(&finding, w);
	for (strand_id s = 0; s < dag->n_strands && !error; s++)
		if (!dag_is_node(dag, s))
			error = find_strand(&finding, s, err);
	free(first);
	free(finding.next);
	free(finding.end);
	return error;
}

void virtual_events_free(struct virtual_events *events)
{
	free(events->event);
	free(events->release);
	free(events->begin);
	free(events->n_events);
	*events = (struct virtual_events){ 0 };
}

uint64_t virtual_collapsed_ids(const struct event *event, uint32_t n)
{
	for (uint32_t e = 0; e < n; e++)
		if (event[e].kind == WIRE_COLLAPSED &&
		    collapsed_field(event[e].b) == WIRE_COLLAPSED_MADE)
			return collapsed_value(event[e].b);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* annotations.c - counts what places say, and hands it to the recorder. */
#include "preload/probes/itt/annotations.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/trace/wire.h"
#include "preload/probe.h"
#include "preload/record.h"
#include "preload/tptrace.h"

#define PLACES 4096u	  /* a power of two; others in a full table are not named */
#define NEAR 16u	  /* slots that a place may be in */
#define REGIONS_MOST 500u /* of a place: two marks each, as many as the collector takes at once */
#define DEPTH 32u	  /* of nested regions; what is deeper is none */

struct annotated {
	_Atomic uintptr_t from; /* 0: nobody's yet */
	_Atomic uint32_t named, n_regions;
};

static struct annotated places[PLACES];

/* NULL: there is no room for it. */
static struct annotated *place_at(uintptr_t from)
{
	uint64_t hash = (uint64_t)from * UINT64_C(0x9e3779b97f4a7c15) >> 40;

	for (uint32_t i = 0; i < NEAR; i++) {
		struct annotated *place = &places[(hash + i) % PLACES];
		uintptr_t found = atomic_load_explicit(&place->from, memory_order_relaxed);

		if (found == from ||
		    (!found &&
		     (atomic_compare_exchange_strong(&place->from, &found, from) || found == from)))
			return place;
	}
	return NULL;
}

void annotation_name(uintptr_t from, const char *name)
{
	struct annotated *place = name && *name && record_on() ? place_at(from) : NULL;

	if (place && !atomic_load_explicit(&place->named, memory_order_relaxed) &&
	    !atomic_exchange_explicit(&place->named, 1, memory_order_relaxed))
		record_site_named(0, from, WIRE_NAMES_CODE, name);
}

bool annotation_begin(uintptr_t from, const char *name)
{
	struct annotated *place = name && *name && record_on() ? place_at(from) : NULL;

	if (!place ||
	    atomic_fetch_add_explicit(&place->n_regions, 1, memory_order_relaxed) >= REGIONS_MOST)
		return false;
	control_call(TPTRACE_REGION_BEGIN, name);
	return true;
}

void annotation_end(const char *name)
{
	control_call(TPTRACE_REGION_END, name);
}

/* No event is its business. */
static bool open_none(struct session *session)
{
	(void)session;
	return false;
}

__attribute__((constructor)) static void add_itself(void)
{
	static struct probe probe = { .name = "itt", .order = PROBE_TELLS, .open = open_none };

	probe_add(&probe);
}

void annotation_turn(bool on)
{
	control_call(on ? TPTRACE_START : TPTRACE_STOP, NULL);
}

/* ---- nested ones ---- */

/* Of the main thread. */
static struct {
	char name[DEPTH][ANNOTATION_TEXT]; /* "": not told */
	uint32_t n;
} nested;

static bool is_main(void)
{
	return syscall(SYS_gettid) == getpid();
}

void annotation_push(uintptr_t from, const char *name)
{
	if (!is_main() || nested.n++ >= DEPTH)
		return;
	char *kept = nested.name[nested.n - 1];

	strncpy(kept, name ? name : "", ANNOTATION_TEXT - 1);
	if (!annotation_begin(from, kept))
		kept[0] = 0;
}

void annotation_pop(void)
{
	if (!is_main() || !nested.n || nested.n-- > DEPTH)
		return;
	if (nested.name[nested.n][0])
		annotation_end(nested.name[nested.n]);
}

/* SPDX-License-Identifier: MIT */
/* otf2_defs.c - writes the global definitions. */
#include "tools/export/otf2_defs.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/export/facts.h"
#include "tools/export/otf2_lib.h"
#include "tools/export/text.h"

enum { PROCESS_GROUP = 0, ALL_LOCATIONS = 0, TEAM_MEMBERS = 1, MACHINE = 0 };
#define NS_A_SECOND 1000000000u

static void check(struct otf2_defs *defs, OTF2_ErrorCode code)
{
	defs->failed |= code != OTF2_SUCCESS;
}

int otf2_defs_open(struct otf2_defs *defs, const struct export *export)
{
	uint32_t n = 0;

	*defs = (struct otf2_defs){
		.export = export,
		.rank = calloc(export->dag->n_slots + 1ull, sizeof(*defs->rank)),
		.n_events = calloc(export->dag->n_slots + 1ull, sizeof(*defs->n_events)),
	};
	if (!defs->rank || !defs->n_events)
		return -ENOMEM;
	for (uint32_t w = 0; w < export->dag->n_slots; w++)
		if (export->worker[w])
			defs->rank[w] = n++;
	return 0;
}

void otf2_defs_close(struct otf2_defs *defs)
{
	free(defs->rank);
	free(defs->n_events);
	*defs = (struct otf2_defs){ 0 };
}

static OTF2_StringRef put_string(struct otf2_defs *defs, const char *text)
{
	check(defs, otf2_lib.OTF2_GlobalDefWriter_WriteString(defs->writer, defs->n_strings, text));
	return defs->n_strings++;
}

/* ---- where and who ---- */

static void put_clock(struct otf2_defs *defs)
{
	check(defs, otf2_lib.OTF2_GlobalDefWriter_WriteClockProperties(
			    defs->writer, NS_A_SECOND, 0, defs->export->dag->elapsed_ns + 1,
			    OTF2_UNDEFINED_TIMESTAMP));
}

static void put_location(struct otf2_defs *defs, uint32_t location, const char *name,
			 OTF2_LocationType type)
{
	check(defs, otf2_lib.OTF2_GlobalDefWriter_WriteLocation(
			    defs->writer, location, put_string(defs, name), type,
			    defs->n_events[location], PROCESS_GROUP));
}

static void put_locations(struct otf2_defs *defs)
{
	const struct export *export = defs->export;
	const char *host = facts_find(export, "host"), *command = facts_find(export, "command");
	char name[40];

	check(defs, otf2_lib.OTF2_GlobalDefWriter_WriteSystemTreeNode(
			    defs->writer, MACHINE, put_string(defs, *host ? host : "machine"),
			    put_string(defs, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	check(defs,
	      otf2_lib.OTF2_GlobalDefWriter_WriteLocationGroup(
		      defs->writer, PROCESS_GROUP,
		      put_string(defs, *command ? command : facts_find(export, "trace")),
		      OTF2_LOCATION_GROUP_TYPE_PROCESS, MACHINE, OTF2_UNDEFINED_LOCATION_GROUP));
	for (uint32_t w = 0; w < export->dag->n_slots; w++) {
		if (!export->worker[w])
			continue;
		snprintf(name, sizeof(name), "worker %u", w);
		put_location(defs, w, name, OTF2_LOCATION_TYPE_CPU_THREAD);
	}
	put_location(defs, export->dag->n_slots, "counters", OTF2_LOCATION_TYPE_METRIC);
}

static int put_team(struct otf2_defs *defs)
{
	const struct export *export = defs->export;
	uint64_t *member = malloc((export->dag->n_slots + 1ull) * sizeof(*member));
	uint64_t *rank = malloc((export->dag->n_slots + 1ull) * sizeof(*rank));
	uint32_t n = 0;

	for (uint32_t w = 0; member && rank && w < export->dag->n_slots; w++) {
		if (!export->worker[w])
			continue;
		rank[n] = n;
		member[n++] = w;
	}
	if (member && rank) {
		check(defs, otf2_lib.OTF2_GlobalDefWriter_WriteGroup(
				    defs->writer, ALL_LOCATIONS, put_string(defs, "workers"),
				    OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_USER,
				    OTF2_GROUP_FLAG_NONE, n, member));
		check(defs, otf2_lib.OTF2_GlobalDefWriter_WriteGroup(
				    defs->writer, TEAM_MEMBERS, put_string(defs, "team"),
				    OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_USER,
				    OTF2_GROUP_FLAG_NONE, n, rank));
		check(defs, otf2_lib.OTF2_GlobalDefWriter_WriteComm(
				    defs->writer, OTF2_DEFS_TEAM, put_string(defs, "team"),
				    TEAM_MEMBERS, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
	}
	bool done = member && rank;

	free(member);
	free(rank);
	return done ? 0 : -ENOMEM;
}

/* ---- regions ---- */

static OTF2_RegionRole role_of(const char *call)
{
	static const struct {
		const char *word;
		OTF2_RegionRole role;
	} known[] = {
		{ "create", OTF2_REGION_ROLE_TASK_CREATE },
		{ "fork", OTF2_REGION_ROLE_PARALLEL },
		{ "barrier", OTF2_REGION_ROLE_BARRIER },
		{ "lock", OTF2_REGION_ROLE_CRITICAL },
		{ "mutex", OTF2_REGION_ROLE_CRITICAL },
		{ "children", OTF2_REGION_ROLE_TASK_WAIT },
		{ "group", OTF2_REGION_ROLE_TASK_WAIT },
		{ "tasks", OTF2_REGION_ROLE_TASK_WAIT },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(call, known[i].word) == 0)
			return known[i].role;
	return OTF2_REGION_ROLE_CODE;
}

static void put_region(struct otf2_defs *defs, const struct frames *frames, uint32_t frame)
{
	const struct place *place = frames_place(frames, frame);
	const char *call = frames->frame[frame].call;
	char name[EXPORT_NAME], *file = place && place->file ? text_utf8(place->file) : NULL;
	OTF2_StringRef shown = put_string(defs, frames_name(frames, frame, name));

	check(defs, otf2_lib.OTF2_GlobalDefWriter_WriteRegion(
			    defs->writer, frame, shown, shown, 0,
			    call ? role_of(call) : OTF2_REGION_ROLE_TASK, OTF2_PARADIGM_USER,
			    OTF2_REGION_FLAG_NONE, file ? put_string(defs, file) : 0,
			    place ? place->line : 0, place ? place->last_line : 0));
	free(file);
}

static void put_attributes(struct otf2_defs *defs)
{
	check(defs, otf2_lib.OTF2_GlobalDefWriter_WriteAttribute(
			    defs->writer, OTF2_DEFS_TASK, put_string(defs, "task"),
			    put_string(defs, "id of the task in the trace"), OTF2_TYPE_INT64));
	check(defs, otf2_lib.OTF2_GlobalDefWriter_WriteAttribute(
			    defs->writer, OTF2_DEFS_PARENT, put_string(defs, "parent"),
			    put_string(defs, "id of the task that created it"), OTF2_TYPE_INT64));
}

static void put_class(struct otf2_defs *defs, uint32_t number, const char *name, const char *about)
{
	OTF2_MetricMemberRef member = number;

	check(defs, otf2_lib.OTF2_GlobalDefWriter_WriteMetricMember(
			    defs->writer, member, put_string(defs, name), put_string(defs, about),
			    OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_NEXT, OTF2_TYPE_UINT64,
			    OTF2_BASE_DECIMAL, 0, put_string(defs, "#")));
	check(defs, otf2_lib.OTF2_GlobalDefWriter_WriteMetricClass(defs->writer, number, 1, &member,
								   OTF2_METRIC_ASYNCHRONOUS,
								   OTF2_RECORDER_KIND_ABSTRACT));
}

/* Readers want numbers in order. */
static void put_metrics(struct otf2_defs *defs)
{
	static const uint32_t instance[] = { OTF2_DEFS_RUNNING, OTF2_DEFS_READY };

	put_class(defs, 0, "running", "strands that run");
	put_class(defs, 1, "ready", "strands that are ready");
	for (uint32_t i = 0; i < 2; i++)
		check(defs, otf2_lib.OTF2_GlobalDefWriter_WriteMetricInstance(
				    defs->writer, instance[i], i, defs->export->dag->n_slots,
				    OTF2_SCOPE_LOCATION_GROUP, PROCESS_GROUP));
}

int otf2_defs_put(struct otf2_defs *defs, OTF2_Archive *archive, const struct frames *frames)
{
	int error;

	defs->writer = otf2_lib.OTF2_Archive_GetGlobalDefWriter(archive);
	if (!defs->writer)
		return -ENOMEM;
	put_clock(defs);
	put_string(defs, ""); /* 0 */
	check(defs, otf2_lib.OTF2_GlobalDefWriter_WriteParadigm(
			    defs->writer, OTF2_PARADIGM_USER, put_string(defs, "tasks"),
			    OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN));
	put_locations(defs);
	put_attributes(defs);
	for (uint32_t f = 0; f < frames->n; f++)
		put_region(defs, frames, f);
	error = put_team(defs);
	put_metrics(defs);
	check(defs, otf2_lib.OTF2_Archive_CloseGlobalDefWriter(archive, defs->writer));
	if (error)
		return error;
	return defs->failed ? -EIO : 0;
}

/* "TPTRACE::EVENTS_LOST"; what is too long for its line in the anchor file is cut. */
void otf2_defs_describe(OTF2_Archive *archive, const struct export *export)
{
	char creator[40], name[80] = "TPTRACE::";
	size_t prefix = strlen(name);

	snprintf(creator, sizeof(creator), "tptrace %.20s", facts_find(export, "tptrace"));
	otf2_lib.OTF2_Archive_SetCreator(archive, creator);
	otf2_lib.OTF2_Archive_SetDescription(archive, facts_find(export, "command"));
	for (uint32_t i = 0; i < export->n_facts; i++) {
		size_t n = 0;

		for (const char *c = export->fact[i].key; *c && n < 60; c++)
			name[prefix + n++] = (char)toupper((unsigned char)*c);
		name[prefix + n] = 0;
		otf2_lib.OTF2_Archive_SetProperty(archive, name, export->fact[i].value, true);
	}
}

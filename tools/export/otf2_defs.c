/* SPDX-License-Identifier: MIT */
/* otf2_defs.c - writes the global definitions. */
#include "tools/export/otf2_defs.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"
#include "tools/export/facts.h"
#include "tools/export/otf2_lib.h"
#include "tools/export/text.h"

enum { ALL_LOCATIONS = 0, FIRST_TEAM = 1 }; /* groups; behind the teams' are those of MPI */
#define NS_A_SECOND 1000000000u

static void check(struct otf2_defs *defs, OTF2_ErrorCode code)
{
	defs->failed |= code != OTF2_SUCCESS;
}

/* A function of the library that writes a definition. */
#define WRITE(defs, what, ...)                                                                     \
	check(defs, otf2_lib.OTF2_GlobalDefWriter_Write##what((defs)->writer, __VA_ARGS__))

static OTF2_StringRef put_string(struct otf2_defs *defs, const char *text)
{
	WRITE(defs, String, defs->n_strings, text);
	return defs->n_strings++;
}

static void add_to(uint64_t **array, uint64_t *n, uint64_t *room, uint64_t value)
{
	array_grow(array, room, *n + 1, sizeof(**array));
	(*array)[(*n)++] = value;
}

/* ---- where and who ---- */

static void put_clock(struct otf2_defs *defs, uint64_t length_ns)
{
	WRITE(defs, ClockProperties, NS_A_SECOND, 0, length_ns + 1, OTF2_UNDEFINED_TIMESTAMP);
}

/* The node of a host. */
static OTF2_SystemTreeNodeRef node_of(struct otf2_defs *defs, const char *host)
{
	uint64_t n = defs->n_hosts;

	for (uint64_t i = 0; i < n; i++)
		if (strcmp(defs->host[i], host) == 0)
			return (OTF2_SystemTreeNodeRef)i;
	array_grow(&defs->host, &defs->host_room, n + 1, sizeof(*defs->host));
	defs->host[n] = xstrdup(host);
	defs->n_hosts++;
	WRITE(defs, SystemTreeNode, (OTF2_SystemTreeNodeRef)n, put_string(defs, host),
	      put_string(defs, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	return (OTF2_SystemTreeNodeRef)n;
}

static void put_location(struct otf2_defs *defs, uint32_t number, const char *name,
			 OTF2_LocationType type)
{
	WRITE(defs, Location, defs->base + number, put_string(defs, name), type,
	      defs->n_events[number], defs->process);
	add_to(&defs->location, &defs->n_locations, &defs->location_room, defs->base + number);
}

static void put_locations(struct otf2_defs *defs, const struct job_times *times)
{
	const struct export *export = defs->export;
	const char *host = facts_find(export, "host");
	OTF2_SystemTreeNodeRef node = node_of(defs, *host ? host : "machine");
	char name[EXPORT_NAME];

	facts_process(export, times, defs->process, name);
	defs->head[defs->process] = defs->base + export->dag->n_slots;
	WRITE(defs, LocationGroup, defs->process, put_string(defs, name),
	      OTF2_LOCATION_GROUP_TYPE_PROCESS, node, OTF2_UNDEFINED_LOCATION_GROUP);
	for (uint32_t w = 0; w < export->dag->n_slots; w++) {
		if (!export->worker[w])
			continue;
		if (!defs->rank[w])
			defs->head[defs->process] = defs->base + w;
		snprintf(name, sizeof(name), "worker %u", w);
		put_location(defs, w, name, OTF2_LOCATION_TYPE_CPU_THREAD);
		add_to(&defs->member, &defs->n_members, &defs->member_room, defs->base + w);
	}
	put_location(defs, export->dag->n_slots, "counters", OTF2_LOCATION_TYPE_METRIC);
}

/* ---- groups ---- */

static void put_group(struct otf2_defs *defs, OTF2_GroupRef group, const char *name,
		      OTF2_GroupType type, OTF2_Paradigm paradigm, uint64_t n,
		      const uint64_t *member)
{
	WRITE(defs, Group, group, put_string(defs, name), type, paradigm, OTF2_GROUP_FLAG_NONE,
	      (uint32_t)n, member);
}

static void put_comm(struct otf2_defs *defs, OTF2_CommRef comm, const char *name,
		     OTF2_GroupRef group)
{
	WRITE(defs, Comm, comm, put_string(defs, name), group, OTF2_UNDEFINED_COMM,
	      OTF2_COMM_FLAG_NONE);
}

/* Members are numbers of the group of all locations. */
static void put_teams(struct otf2_defs *defs)
{
	FREED uint64_t *number = xmalloc((defs->n_members + 1) * sizeof(*number));

	for (uint64_t i = 0; i < defs->n_members; i++)
		number[i] = i;
	put_group(defs, ALL_LOCATIONS, "workers", OTF2_GROUP_TYPE_COMM_LOCATIONS,
		  OTF2_PARADIGM_USER, defs->n_members, defs->member);
	for (uint32_t p = 0; p < defs->n_processes; p++) {
		put_group(defs, FIRST_TEAM + p, "team", OTF2_GROUP_TYPE_COMM_GROUP,
			  OTF2_PARADIGM_USER, defs->first[p + 1] - defs->first[p],
			  number + defs->first[p]);
		put_comm(defs, p, "team", FIRST_TEAM + p);
	}
}

#define COMM_NAME 48

static void name_comm(const struct otf2_comm *comm, char name[COMM_NAME])
{
	int n = comm->number == 1 ? snprintf(name, COMM_NAME, "MPI_COMM_WORLD")
				  : snprintf(name, COMM_NAME, "comm %u", comm->number);

	if (comm->world > 1)
		snprintf(name + n, COMM_NAME - (size_t)n, " of world %u", comm->world);
}

static void put_comms(struct otf2_defs *defs, const struct otf2_comms *comms)
{
	OTF2_GroupRef group = FIRST_TEAM + defs->n_processes;
	char name[COMM_NAME];

	WRITE(defs, Paradigm, OTF2_PARADIGM_MPI, put_string(defs, "MPI"),
	      OTF2_PARADIGM_CLASS_PROCESS);
	put_group(defs, group, "ranks", OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
		  defs->n_processes, defs->head);
	for (uint64_t c = 0; c < comms->n_comms; c++) {
		const struct otf2_comm *comm = &comms->comm[c];

		name_comm(comm, name);
		put_group(defs, ++group, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
			  comm->n_members, comm->member);
		put_comm(defs, comms->first + (OTF2_CommRef)c, name, group);
	}
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

/* Its number: that of an earlier one that says the same. */
static uint32_t put_region(struct otf2_defs *defs, const struct frames *frames, uint32_t frame)
{
	const struct place *place = frames_place(frames, frame);
	const char *call = frames->frame[frame].call;
	FREED char *file = place && place->file ? text_utf8(place->file) : NULL;
	char name[EXPORT_NAME];
	const char *shown = frames_name(frames, frame, name);
	uint64_t hash = map_hash(map_hash(map_hash(MAP_HASH, shown), file), call ?: "");
	uint64_t *known = map_put(&defs->region_of, hash + (place ? place->line : 0));
	uint32_t number = defs->n_regions;

	if (*known) {
		number = (uint32_t)*known - 1;
	} else {
		OTF2_StringRef text = put_string(defs, shown);

		*known = ++defs->n_regions;
		WRITE(defs, Region, number, text, text, 0,
		      call ? role_of(call) : OTF2_REGION_ROLE_TASK, OTF2_PARADIGM_USER,
		      OTF2_REGION_FLAG_NONE, file ? put_string(defs, file) : 0,
		      place ? place->line : 0, place ? place->last_line : 0);
	}
	return number;
}

static void put_attributes(struct otf2_defs *defs)
{
	WRITE(defs, Attribute, OTF2_DEFS_TASK, put_string(defs, "task"),
	      put_string(defs, "id of the task in the trace"), OTF2_TYPE_INT64);
	WRITE(defs, Attribute, OTF2_DEFS_PARENT, put_string(defs, "parent"),
	      put_string(defs, "id of the task that created it"), OTF2_TYPE_INT64);
}

static void put_class(struct otf2_defs *defs, uint32_t number, const char *name, const char *about)
{
	OTF2_MetricMemberRef member = number;

	WRITE(defs, MetricMember, member, put_string(defs, name), put_string(defs, about),
	      OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_NEXT, OTF2_TYPE_UINT64,
	      OTF2_BASE_DECIMAL, 0, put_string(defs, "#"));
	WRITE(defs, MetricClass, number, 1, &member, OTF2_METRIC_ASYNCHRONOUS,
	      OTF2_RECORDER_KIND_ABSTRACT);
}

static void put_metrics(struct otf2_defs *defs)
{
	const OTF2_MetricRef instance[] = { otf2_defs_running(defs), otf2_defs_ready(defs) };

	for (uint32_t i = 0; i < 2; i++)
		WRITE(defs, MetricInstance, instance[i], i, defs->base + defs->export->dag->n_slots,
		      OTF2_SCOPE_LOCATION_GROUP, defs->process);
}

/* ---- all of them ---- */

int otf2_defs_open(struct otf2_defs *defs, OTF2_Archive *archive, uint32_t n_processes,
		   uint64_t length_ns)
{
	*defs = (struct otf2_defs){
		.writer = otf2_lib.OTF2_Archive_GetGlobalDefWriter(archive),
		.n_processes = n_processes,
		.first = xcalloc(n_processes + 1ull, sizeof(*defs->first)),
		.head = xcalloc(n_processes + 1ull, sizeof(*defs->head)),
	};
	if (!defs->writer)
		return -EIO;
	put_clock(defs, length_ns);
	put_string(defs, ""); /* 0 */
	WRITE(defs, Paradigm, OTF2_PARADIGM_USER, put_string(defs, "tasks"),
	      OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
	put_attributes(defs);
	put_class(defs, 0, "running", "strands that run");
	put_class(defs, 1, "ready", "strands that are ready");
	return 0;
}

static void free_process(struct otf2_defs *defs)
{
	free(defs->rank);
	free(defs->n_events);
	free(defs->region);
	defs->rank = NULL;
	defs->n_events = NULL;
	defs->region = NULL;
}

void otf2_defs_begin(struct otf2_defs *defs, const struct export *export,
		     const struct frames *frames)
{
	uint32_t n = 0;

	defs->export = export;
	defs->rank = xcalloc(export->dag->n_slots + 1ull, sizeof(*defs->rank));
	defs->n_events = xcalloc(export->dag->n_slots + 1ull, sizeof(*defs->n_events));
	defs->region = xcalloc(frames->n + 1ull, sizeof(*defs->region));
	for (uint32_t w = 0; w < export->dag->n_slots; w++)
		if (export->worker[w])
			defs->rank[w] = n++;
	for (uint32_t f = 0; f < frames->n; f++)
		defs->region[f] = put_region(defs, frames, f);
}

void otf2_defs_end(struct otf2_defs *defs, const struct job_times *times)
{
	put_locations(defs, times);

	put_metrics(defs);
	defs->base += defs->export->dag->n_slots + 1ull;
	defs->first[++defs->process] = defs->n_members;
	free_process(defs);
}

int otf2_defs_put(struct otf2_defs *defs, OTF2_Archive *archive, const struct otf2_comms *comms)
{
	put_teams(defs);

	if (comms->n_comms)
		put_comms(defs, comms);
	check(defs, otf2_lib.OTF2_Archive_CloseGlobalDefWriter(archive, defs->writer));
	return defs->failed ? -EIO : 0;
}

void otf2_defs_close(struct otf2_defs *defs)
{
	for (uint64_t i = 0; i < defs->n_hosts; i++)
		free(defs->host[i]);
	free_process(defs);
	free(defs->host);
	free(defs->location);
	free(defs->member);
	free(defs->first);
	free(defs->head);
	map_free(&defs->region_of);
	*defs = (struct otf2_defs){ 0 };
}

/* "TPTRACE::EVENTS_LOST"; what is too long for its line in the anchor file is cut. */
void otf2_defs_describe(OTF2_Archive *archive, const struct export *export, uint32_t n_processes)
{
	char creator[40], name[80] = "TPTRACE::";
	size_t prefix = strlen(name);

	snprintf(creator, sizeof(creator), "tptrace %.20s", facts_find(export, "tptrace"));
	otf2_lib.OTF2_Archive_SetCreator(archive, creator);
	otf2_lib.OTF2_Archive_SetDescription(archive, facts_find(export, "command"));
	if (n_processes > 1) {
		snprintf(creator, sizeof(creator), "%u", n_processes);
		otf2_lib.OTF2_Archive_SetProperty(archive, "TPTRACE::PROCESSES", creator, true);
		return;
	}
	for (uint32_t i = 0; i < export->n_facts; i++) {
		size_t n = 0;

		for (const char *c = export->fact[i].key; *c && n < 60; c++)
			name[prefix + n++] = (char)toupper((unsigned char)*c);
		name[prefix + n] = 0;
		otf2_lib.OTF2_Archive_SetProperty(archive, name, export->fact[i].value, true);
	}
}

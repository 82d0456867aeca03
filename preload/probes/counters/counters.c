/* SPDX-License-Identifier: MIT */
/* counters.c - tptrace's own names, and questions to PAPI. */
#include "preload/probes/counters/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/probes/counters/papi.h"

#define WORD(field) (offsetof(struct rusage, field) / sizeof(long))

static const struct counter own[] = {
	{ "page-faults", "", COUNTER_USAGE, { WORD(ru_minflt), WORD(ru_majflt) } },
	{ "minor-faults", "", COUNTER_USAGE, { WORD(ru_minflt), 0 } },
	{ "major-faults", "", COUNTER_USAGE, { WORD(ru_majflt), 0 } },
	{ "context-switches", "", COUNTER_USAGE, { WORD(ru_nvcsw), WORD(ru_nivcsw) } },
	{ "voluntary-switches", "", COUNTER_USAGE, { WORD(ru_nvcsw), 0 } },
	{ "involuntary-switches", "", COUNTER_USAGE, { WORD(ru_nivcsw), 0 } },
	{ "cpu-time", "ns", COUNTER_CPU, { 0, 0 } },
};
#define OWN (sizeof(own) / sizeof(own[0]))

/* Of PAPI's many names those that people ask for; papi_avail(1) has all. */
static const char *const papi_names[] = {
	"PAPI_TOT_INS",		 "PAPI_TOT_CYC",	 "PAPI_L1_DCM",	       "PAPI_L2_TCM",
	"PAPI_L3_TCM",		 "PAPI_BR_MSP",		 "PAPI_TLB_DM",	       "PAPI_RES_STL",
	"PAPI_FP_OPS",		 "perf::CPU-MIGRATIONS", "perf::MINOR-FAULTS", "perf::MAJOR-FAULTS",
	"perf::CONTEXT-SWITCHES"
};
#define PAPI_NAMES (sizeof(papi_names) / sizeof(papi_names[0]))

/* ---- what there is ---- */

static void append(char *out, size_t room, const char *before, const char *text)
{
	size_t used = strlen(out);

	if (used + strlen(before) + strlen(text) + 1 <= room)
		snprintf(out + used, room - used, "%s%s", before, text);
}

static bool papi_has(const char *name)
{
	int set = papi_make();
	bool has = set != PAPI_NO_SET && papi_add(set, name) == PAPI_COUNTS;

	papi_free(set);
	return has;
}

char *counters_names(char *out, size_t room)
{
	const char *why;

	out[0] = 0;
	for (size_t i = 0; i < OWN; i++)
		append(out, room, i ? ", " : "", own[i].name);
	for (size_t i = 0; papi_open(&why) && i < PAPI_NAMES; i++)
		if (papi_has(papi_names[i]))
			append(out, room, ", ", papi_names[i]);
	return out;
}

/* Why PAPI cannot count what it knows. */
static const char *no_hardware(void)
{
	struct perf_event_attr cycles = { .type = PERF_TYPE_HARDWARE,
					  .size = sizeof(cycles),
					  .config = PERF_COUNT_HW_CPU_CYCLES,
					  .exclude_kernel = 1 };
	long fd = syscall(SYS_perf_event_open, &cycles, 0, -1, -1, 0);

	if (fd >= 0) {
		close((int)fd);
		return "this processor does not count it";
	}
	switch (errno) {
	case EACCES:
	case EPERM:
		return "the kernel lets this user count nothing (kernel.perf_event_paranoid, "
		       "seccomp)";
	case ENOSYS:
		return "this kernel has no perf_event_open()";
	default:
		return "no hardware counters on this machine (it may be a virtual one)";
	}
}

/* ---- a list ---- */

static const struct counter *own_of(const char *name)
{
	for (size_t i = 0; i < OWN; i++)
		if (strcmp(own[i].name, name) == 0)
			return &own[i];
	return NULL;
}

/* Whether it may be one of PAPI's, as far as can be told without PAPI. */
static bool seems_papi(const char *name)
{
	return strncmp(name, "PAPI_", 5) == 0 || strchr(name, ':');
}

/* One sentence for all that are missing for the same reason. */
static void miss(struct counters *counters, const char *name, const char *why, bool told)
{
	size_t used = strlen(counters->missing);
	size_t tail = strlen(why);

	if (used > tail && strcmp(counters->missing + used - tail, why) == 0) {
		counters->missing[used - tail - 2] = 0; /* ": why" */
		append(counters->missing, sizeof(counters->missing) - tail - 2, ", ", name);
	} else {
		append(counters->missing, sizeof(counters->missing) - tail - 2, used ? "; " : "",
		       name);
	}
	append(counters->missing, sizeof(counters->missing), ": ", why);
	counters->n_missing++;
	counters->tell |= !told;
}

static int counter_unknown(const char *name, char *wrong, size_t room)
{
	char names[400];

	snprintf(wrong, room, "unknown counter `%.*s`; there are: %s%s", (int)COUNTER_NAME_BYTES,
		 name, counters_names(names, sizeof(names)),
		 seems_papi(name) ? "" : "; papi_avail(1) lists PAPI's");
	return -EINVAL;
}

static int find_papi(struct counters *counters, int *set, const char *name, bool told, char *wrong,
		     size_t room)
{
	const char *why;

	if (!papi_open(&why)) {
		if (!seems_papi(name))
			return counter_unknown(name, wrong, room);
		miss(counters, name, why, told);
		return 0;
	}
	if (*set == PAPI_NO_SET)
		*set = papi_make();
	switch (*set == PAPI_NO_SET ? PAPI_MISSING : papi_add(*set, name)) {
	case PAPI_UNKNOWN:
		return counter_unknown(name, wrong, room);
	case PAPI_MISSING:
		miss(counters, name, no_hardware(), told);
		return 0;
	case PAPI_CLASHES:
		miss(counters, name, "PAPI cannot count it together with the others", told);
		return 0;
	default:
		counters->counter[counters->n] = (struct counter){ .source = COUNTER_PAPI };
		memcpy(counters->counter[counters->n++].name, name, strlen(name));
		counters->papi = true;
		return 0;
	}
}

bool counters_has(const struct counters *counters, const char *name, size_t bytes)
{
	for (uint32_t i = 0; i < counters->n; i++)
		if (strncmp(counters->counter[i].name, name, bytes) == 0 &&
		    !counters->counter[i].name[bytes])
			return true;
	return false;
}

static int find_one(struct counters *counters, int *set, const char *word, size_t bytes,
		    char *wrong, size_t room)
{
	bool told = bytes && *word == '!';
	char name[COUNTER_NAME_BYTES];

	word += told;
	bytes -= told;
	if (bytes == 0 || bytes >= sizeof(name)) {
		snprintf(wrong, room, "%s name in the list of counters",
			 bytes ? "a too long" : "an empty");
		return -EINVAL;
	}
	memcpy(name, word, bytes);
	name[bytes] = 0;
	if (counters_has(counters, name, bytes))
		return 0;
	if (counters->n == COUNTERS_MOST) {
		snprintf(wrong, room, "too many counters; at most %u are counted at once",
			 COUNTERS_MOST);
		return -EINVAL;
	}
	if (!own_of(name))
		return find_papi(counters, set, name, told, wrong, room);
	counters->counter[counters->n++] = *own_of(name);
	return 0;
}

int counters_find(struct counters *counters, const char *list, char *wrong, size_t room)
{
	int set = PAPI_NO_SET, error = 0;

	*counters = (struct counters){ 0 };
	for (;;) {
		size_t bytes = strcspn(list, ",");

		error = find_one(counters, &set, list, bytes, wrong, room);
		list += bytes;
		if (error || !*list++)
			break;
	}
	if (set != PAPI_NO_SET && !error && counters->papi && !papi_start(set)) {
		for (uint32_t i = counters->n; i-- > 0;)
			if (counters->counter[i].source == COUNTER_PAPI) {
				miss(counters, counters->counter[i].name,
				     "PAPI cannot start its counters", false);
				memmove(&counters->counter[i], &counters->counter[i + 1],
					(--counters->n - i) * sizeof(counters->counter[0]));
			}
		counters->papi = false;
	}
	papi_free(set);
	return error;
}

int counters_papi_set(const struct counters *counters)
{
	int set = papi_make();

	for (uint32_t i = 0; set != PAPI_NO_SET && i < counters->n; i++)
		if (counters->counter[i].source == COUNTER_PAPI &&
		    papi_add(set, counters->counter[i].name) != PAPI_COUNTS) {
			papi_free(set);
			set = PAPI_NO_SET;
		}
	if (set != PAPI_NO_SET && !papi_start(set)) {
		papi_free(set);
		set = PAPI_NO_SET;
	}
	return set;
}

/* SPDX-License-Identifier: MIT */
/*
 * virtual_time.c - the probe `virtual`: a run in virtual time, where the runtime schedules, and
 * tasks do nothing.
 *
 * TPTRACE_VIRTUAL names a file (virtual_file.h), which `tptrace record --virtual` writes.  Shims
 * put an empty function in the place of each task's (record_virtual()).
 *
 *	an event that ends a strand	the thread passes the time that strands of its kind take
 *	one that begins a strand	what the runtime takes before such a strand
 *
 * Both are drawn; to pass time is to wait in virtual_queue.h.  Events have virtual time: ns, from
 * when the session began.  main() and implicit tasks run, because they create tasks; their strands
 * take the time that is drawn, too.  A draw depends on the seed, the task's id and how many strands
 * it had; so two runs that create alike draw alike.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/session/environment.h"
#include "preload/probe.h"
#include "preload/probes/kind_list.h"
#include "preload/probes/virtual/looking.h"
#include "preload/probes/virtual/virtual_file.h"
#include "preload/probes/virtual/virtual_queue.h"
#include "preload/budget.h"
#include "preload/session.h"

#define FILE_MOST (UINT64_C(1) << 30)
#define NESTED_MOST 64u
#define NO_GROUP UINT16_MAX
#define BEGIN_NS 1000000u /* when virtual time begins, as CLOCK_MONOTONIC: long ago */

/* A task whose strand ended here, and that will go on. */
struct left {
	uint64_t task;
	uint8_t ended_by; /* enum wire_kind */
	bool object;	  /* it waits for one */
	uint32_t n_strands;
};

/* Of a worker; its thread's alone. */
struct seat {
	struct virtual_turn turn;
	struct left left[NESTED_MOST]; /* the tasks below the one that runs, and that one */
	uint32_t n_left;
	uint64_t free_at;   /* when its last strand ended */
	uint64_t n_strands; /* that began here */
	kinds_class class;  /* of the strand that runs */
	uint8_t begin;	    /* enum virtual_begin: how it began */
	uint32_t n_of_task; /* strands that its task had before */
	uint8_t warm[];	    /* by group: a strand of it ran here */
};

/* Of this session; written before it is on. */
static struct {
	const struct virtual_header *file;
	uint64_t file_bytes;
	const struct virtual_group *group;
	const uint64_t *value;
	const char *said;
	uint16_t group_of[KINDS_MOST + 1][VIRTUAL_BEGINS][VIRTUAL_END_KINDS];
	_Atomic uint32_t *n_drawn; /* by group that is drawn in turn */
	_Atomic uint32_t unsure, unknown;
} virtual;

static struct seat *_Atomic seat_of[WIRE_WORKERS];

/* ---- the file ---- */

static bool values_fit(struct virtual_values values)
{
	return values.at <= virtual.file->n_values &&
	       values.n <= virtual.file->n_values - values.at;
}

static bool is_said(const char *text, uint32_t bytes)
{
	return bytes && memchr(text, 0, bytes) == text + bytes - 1;
}

/* Sets the pointers into the file, and checks that all of it is there. */
static bool read_file(void)
{
	const struct virtual_header *file = virtual.file;
	uint64_t groups = (uint64_t)file->n_groups * sizeof(struct virtual_group);
	uint64_t values = (uint64_t)file->n_values * sizeof(uint64_t);
	const char *text;

	if (memcmp(file->magic, VIRTUAL_MAGIC, sizeof(file->magic)) != 0 ||
	    file->n_groups >= NO_GROUP ||
	    sizeof(*file) + groups + values + file->kinds_bytes + file->said_bytes !=
		    virtual.file_bytes)
		return false;
	virtual.group = (const void *)(file + 1);
	virtual.value = (const void *)(virtual.group + file->n_groups);
	text = (const char *)(virtual.value + file->n_values);
	virtual.said = text + file->kinds_bytes;
	memset(virtual.group_of, 0xff, sizeof(virtual.group_of));
	for (uint32_t i = 0; i < file->n_groups; i++) {
		const struct virtual_group *group = &virtual.group[i];

		if (group->class > KINDS_MOST || group->begin >= VIRTUAL_BEGINS ||
		    group->end >= VIRTUAL_END_KINDS || !group->bin.n || !values_fit(group->bin) ||
		    !values_fit(group->first))
			return false;
		virtual.group_of[group->class][group->begin][group->end] = (uint16_t)i;
	}
	for (int i = 0; i < VIRTUAL_LEADS; i++)
		if (!values_fit(file->lead[i]))
			return false;
	return is_said(text, file->kinds_bytes) && is_said(virtual.said, file->said_bytes) &&
	       kinds_open(text);
}

static bool map_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *memory = MAP_FAILED;
	struct stat stat;

	if (fd < 0)
		return false;
	if (fstat(fd, &stat) == 0 && stat.st_size >= (off_t)sizeof(*virtual.file) &&
	    (uint64_t)stat.st_size < FILE_MOST)
		memory = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (memory == MAP_FAILED)
		return false;
	virtual.file = memory;
	virtual.file_bytes = (uint64_t)stat.st_size;
	return true;
}

/* A forked child has its parent's: the file stays mapped there, but seats are of other threads. */
static void forget_all(void)
{
	probe_rule_time(NULL);
	memset((void *)seat_of, 0, sizeof(seat_of));
	virtual.file = NULL;
	virtual.unsure = virtual.unknown = 0;
}

static bool virtual_open(struct session *session)
{
	const char *path = options_variable(VIRTUAL_VARIABLE);

	forget_all();
	if (!path || !*path)
		return false;
	if (map_file(path) && read_file())
		virtual.n_drawn = map_zeroed((virtual.file->n_groups + 1u) *
					     sizeof(*virtual.n_drawn));
	else
		virtual.n_drawn = NULL;
	if (!virtual.n_drawn) {
		kinds_off();
		virtual.file = NULL;
		options_say_bad(VIRTUAL_VARIABLE, path,
				"invalid; `tptrace record --virtual MODEL` writes it; time is not "
				"virtual");
		return false;
	}
	session->clock.source = CLOCK_SOURCE_MONOTONIC;
	session->begin = (struct clock_pair){ BEGIN_NS, BEGIN_NS };
	session->process.virtual = session_keep(session, virtual.said);
	session->options.collapse_ns = 0;
	virtual_queue_open(session->begin.ticks);
	probe_rule_time(virtual_queue_now);
	return true;
}

/* ---- what was not as it should be ---- */

/* What a runtime's shim said of it, and how: it stays, and ours comes behind it. */
static struct {
	session_text shims, ours;
} noted[SESSION_RUNTIMES];

static void put_note(struct session *session, uint32_t runtime, const char *said)
{
	static char text[1024]; /* with the session's lock */
	session_text now = atomic_load(&session->runtime[runtime].note);
	size_t n = 0;

	if (now != noted[runtime].ours)
		noted[runtime].shims = now;
	if (noted[runtime].shims) {
		const char *shims = session_said(session, noted[runtime].shims);

		n = strnlen(shims, sizeof(text) / 2);
		memcpy(text, shims, n);
		text[n++] = ';';
		text[n++] = ' ';
	}
	strcpy(text + n, said);
	noted[runtime].ours = session_keep(session, text);
	atomic_store(&session->runtime[runtime].note, noted[runtime].ours);
}

/* A signal handler that records does not get here: the thread is storing an event. */
static void note_kind(uint64_t site)
{
	static const char unsure[] =
		"some tasks left the virtual queue before all threads stood still: the schedule is "
		"not certain";
	static const char unknown[] = "the model has no times for some tasks: these took none";
	static const char both[] =
		"some tasks left the virtual queue before all threads stood still, and the model "
		"has no times for some: the schedule is not certain";
	const char *said = virtual.unsure && virtual.unknown ? both
			   : virtual.unsure		     ? unsure
							     : unknown;
	struct session *session = session_lock();
	uint32_t runtime = session->site[site_number(site) % SESSION_SITES].runtime;

	if (runtime < SESSION_RUNTIMES)
		put_note(session, runtime, said);
	session_unlock(session);
}

static _Atomic uint64_t noted_site; /* of any thread's last call */

static void count_up(_Atomic uint32_t *counter)
{
	if (atomic_fetch_add(counter, 1) == 0)
		note_kind(atomic_load_explicit(&noted_site, memory_order_relaxed));
}

/* ---- draws ---- */

static uint64_t scatter(uint64_t x)
{
	for (int i = 0; i < 2; i++) { /* two rounds of splitmix64 [Steele 2014] */
		x += UINT64_C(0x9e3779b97f4a7c15);
		x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
		x ^= x >> 31;
	}
	return x;
}

static uint64_t draw(struct virtual_values of, uint64_t random)
{
	return of.n ? virtual.value[of.at + ((random >> 32) * of.n >> 32)] : 0;
}

/* The group of such strands; else of those that begin alike, or of any of the kind. */
static uint16_t group_of(kinds_class class, uint8_t begin, uint8_t end)
{
	uint16_t group = virtual.group_of[class][begin][end];

	for (int e = 0; e < VIRTUAL_END_KINDS && group == NO_GROUP; e++)
		group = virtual.group_of[class][begin][e];
	for (int b = 0; b < VIRTUAL_BEGINS && group == NO_GROUP; b++)
		for (int e = 0; e < VIRTUAL_END_KINDS && group == NO_GROUP; e++)
			group = virtual.group_of[class][b][e];
	return group;
}

static uint64_t random_of(const struct seat *seat, uint64_t task)
{
	return scatter(virtual.file->seed ^ scatter(task + ((uint64_t)seat->n_of_task << 48)));
}

static uint64_t draw_strand(struct seat *seat, uint64_t task, uint8_t end)
{
	uint16_t number = seat->class ? group_of(seat->class, seat->begin, end) : NO_GROUP;
	const struct virtual_group *group;
	bool first;

	if (number == NO_GROUP) {
		count_up(&virtual.unknown);
		return 0;
	}
	group = &virtual.group[number];
	if (group->in_turn)
		return virtual.value[group->bin.at +
				     atomic_fetch_add(&virtual.n_drawn[number], 1) % group->bin.n];
	first = !seat->warm[number];
	seat->warm[number] = 1;
	return draw(first && group->first.n ? group->first : group->bin, random_of(seat, task));
}

/* ---- how strands end and begin ---- */

static uint8_t end_of(enum wire_kind kind, uint64_t b)
{
	switch (kind) {
	case WIRE_CREATE:
		return VIRTUAL_CREATES;
	case WIRE_FORK:
		return VIRTUAL_FORKS;
	case WIRE_WAIT:
		return (site_flags(b) & 0xff) >= WIRE_WAIT_OBJECT ? VIRTUAL_LOCKS : VIRTUAL_WAITS;
	case WIRE_SIGNAL:
		return VIRTUAL_UNLOCKS;
	case WIRE_YIELD:
		return VIRTUAL_GOES_ON;
	default:
		return VIRTUAL_ENDS;
	}
}

/* The task's strand before, on this worker; NULL if it is not known. */
static struct left *find_left(struct seat *seat, uint64_t task)
{
	for (uint32_t i = seat->n_left; i-- > 0;)
		if (seat->left[i].task == task) {
			seat->n_left = i + 1;
			return &seat->left[i];
		}
	return NULL;
}

static void leave_task(struct seat *seat, uint64_t task, enum wire_kind kind, uint64_t b)
{
	struct left *left = find_left(seat, task);

	if (!left) {
		if (seat->n_left == NESTED_MOST)
			seat->n_left = 0;
		left = &seat->left[seat->n_left++];
		*left = (struct left){ .task = task };
	}
	left->ended_by = kind;
	left->object = kind == WIRE_WAIT && (site_flags(b) & 0xff) >= WIRE_WAIT_OBJECT;
	left->n_strands = seat->n_of_task + 1;
	if (kind == WIRE_END)
		seat->n_left--;
}

static uint8_t lead_of_return(const struct left *left, bool waited, bool ran_another)
{
	switch (left ? left->ended_by : WIRE_WAIT) {
	case WIRE_CREATE:
		return ran_another ? VIRTUAL_LEAD_BACK : VIRTUAL_LEAD_CREATE;
	case WIRE_SIGNAL:
		return VIRTUAL_LEAD_CALL;
	case WIRE_YIELD:
		return VIRTUAL_LEAD_YIELD;
	default:
		if (left && left->object)
			return waited ? VIRTUAL_LEAD_HANDOVER : VIRTUAL_LEAD_CALL;
		return waited ? VIRTUAL_LEAD_REJOIN : VIRTUAL_LEAD_RESUME;
	}
}

/* What the runtime takes before a task's first strand; `waited`: its worker had nothing to do. */
static uint8_t lead_of_first(const struct worker *worker, enum wire_kind kind, uint64_t b,
			     bool waited)
{
	bool own = id_worker(b) == worker->index;

	if (kind == WIRE_MEMBER)
		return own ? VIRTUAL_LEAD_BEGIN : VIRTUAL_LEAD_MEMBER;
	if (waited)
		return VIRTUAL_LEAD_WAKE;
	return own ? VIRTUAL_LEAD_BEGIN : VIRTUAL_LEAD_TAKE;
}

/* The task that begins a strand there. */
static uint64_t task_at_begin(const struct worker *worker, enum wire_kind kind, uint64_t b)
{
	return kind == WIRE_BEGIN || kind == WIRE_RESUME ? b : worker->last_id;
}

static uint64_t enter_strand(struct worker *worker, struct seat *seat, enum wire_kind kind,
			     uint64_t b)
{
	bool waited = virtual_queue_now() != seat->free_at;
	bool ran_another = seat->n_left && seat->left[seat->n_left - 1].task != b;
	uint64_t task = task_at_begin(worker, kind, b);
	struct left *left = kind == WIRE_RESUME ? find_left(seat, task) : NULL;
	uint8_t lead;

	seat->begin = kind != WIRE_RESUME		      ? VIRTUAL_FIRST
		      : left && left->ended_by == WIRE_CREATE ? VIRTUAL_CONTINUES
							      : VIRTUAL_JOINS;
	seat->n_of_task = left ? left->n_strands : 0;
	seat->n_strands++;
	if (kind == WIRE_ROOT)
		return 0;
	lead = kind == WIRE_RESUME ? lead_of_return(left, waited, ran_another)
				   : lead_of_first(worker, kind, b, waited);
	return draw(virtual.file->lead[lead], scatter(random_of(seat, task) + 1 + lead));
}

/* ---- events ---- */

static struct seat *seat_for(const struct worker *worker)
{
	struct seat *seat = atomic_load_explicit(&seat_of[worker->index], memory_order_relaxed);
	int saved = errno;

	if (!seat) {
		seat = map_zeroed(sizeof(*seat) + virtual.file->n_groups);
		atomic_store_explicit(&seat_of[worker->index], seat, memory_order_relaxed);
	}
	errno = saved;
	return seat;
}

/* Passes time, and sets worker->not_before. */
static void virtual_before(struct worker *worker, void *own, enum wire_kind kind, uint64_t b)
{
	kinds_class class = kinds_event(worker, kind, b);
	struct seat *seat;
	uint64_t ns = 0;

	(void)own;
	if (!kind_begins(kind) && !kind_ends(kind))
		return;
	if (kind == WIRE_CREATE || kind == WIRE_FORK || kind == WIRE_WAIT)
		atomic_store_explicit(&noted_site, b, memory_order_relaxed);
	if (kind_begins(kind))
		looking_stir(); /* what the thread has done since its last strand */
	seat = seat_for(worker);
	if (seat && kind_ends(kind)) {
		ns = draw_strand(seat, worker->task, end_of(kind, b));
		leave_task(seat, worker->task, kind, b);
	} else if (seat) {
		ns = enter_strand(worker, seat, kind, b);
		seat->class = class;
	}
	if (ns && !virtual_queue_pass(&seat->turn, ns))
		count_up(&virtual.unsure);
	worker->not_before = virtual_queue_now();
	if (seat && kind_ends(kind))
		seat->free_at = worker->not_before;
}

__attribute__((constructor)) static void virtual_add(void)
{
	static struct probe probe = { .name = "virtual",
				      .order = PROBE_RULES_TIME,
				      .open = virtual_open,
				      .before = virtual_before };

	probe_add(&probe);
}

/* SPDX-License-Identifier: MIT */
/* text.c - a trace to text and back. */
#include "collector/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/defs.h"
#include "collector/file.h"
#include "collector/reader.h"

#define FIRST_WORDS "tptrace text "
#define FIRST_LINE FIRST_WORDS "1"
#define QUOTE_MAX 60
#define BATCH_EVENTS 16384u
#define ID_N_MASK ((UINT64_C(1) << WIRE_ID_WORKER_SHIFT) - 1)
#define LOST_N_MASK ((UINT64_C(1) << WIRE_LOSS_SHIFT) - 1)

static const char *const kind_word[WIRE_KINDS] = {
	[WIRE_ROOT] = "root",	    [WIRE_BEGIN] = "begin",
	[WIRE_MEMBER] = "member",   [WIRE_RESUME] = "resume",
	[WIRE_CREATE] = "create",   [WIRE_FORK] = "fork",
	[WIRE_WAIT] = "wait",	    [WIRE_YIELD] = "yield",
	[WIRE_SIGNAL] = "signal",   [WIRE_END] = "end",
	[WIRE_DEPEND] = "depend",   [WIRE_OBJECT] = "object",
	[WIRE_GROUP] = "group",	    [WIRE_NOWAIT] = "nowait",
	[WIRE_HANDLE] = "handle",   [WIRE_CANCEL] = "cancel",
	[WIRE_LOST] = "lost",	    [WIRE_NEXT_ID] = "next-id",
	[WIRE_TRACER] = "tracer",   [WIRE_START] = "start",
	[WIRE_NAME] = "name",	    [WIRE_BAG] = "bag",
	[WIRE_DISCARD] = "discard", [WIRE_DISCARD_NAMED] = "discard-named",
	[WIRE_SINCE] = "since",	    [WIRE_UNTIL] = "until",
	[WIRE_HIDDEN] = "hidden",   [WIRE_MOVED] = "moved",
};
static const char *const hidden_word[WIRE_HIDDEN_FIELDS] = {
	[WIRE_HIDDEN_MADE] = "made",
	[WIRE_HIDDEN_OWN] = "own",
	[WIRE_HIDDEN_WORK] = "work",
	[WIRE_HIDDEN_SPAN] = "span",
	[WIRE_HIDDEN_PATH] = "path",
	[WIRE_HIDDEN_CHAIN] = "chain",
	[WIRE_HIDDEN_TASKS] = "tasks",
	[WIRE_HIDDEN_NEXT] = "next-create",
	"next-create-cont",
	"next-wait-cont",
	"next-join",
	"more-create",
	"more-create-cont",
	"more-wait-cont",
	"more-join",
	[WIRE_HIDDEN_READY] = "ready-create",
	"ready-create-cont",
	[WIRE_HIDDEN_IDLE] = "idle-0",
	"idle-1",
	"idle-2",
	"idle-3",
	"idle-4",
	"idle-5",
	"idle-6",
	"idle-7",
	[WIRE_HIDDEN_BUSY] = "busy-0",
	"busy-1",
	"busy-2",
	"busy-3",
	"busy-4",
	"busy-5",
	"busy-6",
	"busy-7",
};
static const char *const wait_word[WIRE_WAITS] = {
	[WIRE_WAIT_CHILDREN] = "children", [WIRE_WAIT_GROUP] = "group",
	[WIRE_WAIT_TEAM] = "team",	   [WIRE_WAIT_DEPEND] = "depend",
	[WIRE_WAIT_OBJECT] = "object",	   [WIRE_WAIT_NAMED] = "named",
	[WIRE_WAIT_BAG] = "bag",	   [WIRE_WAIT_BARRIER] = "barrier",
};
static const char *const depend_word[WIRE_DEPENDS] = {
	[WIRE_DEPEND_IN] = "in",   [WIRE_DEPEND_OUT] = "out", [WIRE_DEPEND_MUTEX] = "mutex",
	[WIRE_DEPEND_SET] = "set", [WIRE_DEPEND_ALL] = "all", [WIRE_DEPEND_ON] = "on",
};

static const char *const loss_word[WIRE_LOSSES] = {
	[WIRE_LOSS_RING] = "ring",
	[WIRE_LOSS_STOPPED] = "stopped",
	[WIRE_LOSS_SIZE] = "size",
	[WIRE_LOSS_OLD] = "old",
	[WIRE_LOSS_DIED] = "died",
};

struct flag_word {
	const char *word;
	uint32_t flag;
};

static const struct flag_word task_flag[] = {
	{ "undeferred", WIRE_TASK_UNDEFERRED },
	{ "final", WIRE_TASK_FINAL },
	{ "untied", WIRE_TASK_UNTIED },
	{ "detached", WIRE_TASK_DETACHED },
	{ "empty", WIRE_TASK_EMPTY },
	{ "global", WIRE_TASK_GLOBAL },
	{ NULL, 0 },
};
static const struct flag_word wait_flag[] = { { "global", WIRE_WAIT_GLOBAL }, { NULL, 0 } };
static const struct flag_word fork_flag[] = {
	{ "team", WIRE_FORK_TEAM },	{ "loop", WIRE_FORK_LOOP },
	{ "nowait", WIRE_FORK_NOWAIT }, { "undeferred", WIRE_FORK_UNDEFERRED },
	{ "final", WIRE_FORK_FINAL },	{ NULL, 0 },
};

bool text_is(const char *text, uint64_t bytes)
{
	return bytes >= strlen(FIRST_WORDS) && memcmp(text, FIRST_WORDS, strlen(FIRST_WORDS)) == 0;
}

/* ---- writing ---- */

char *text_id(char *out, uint64_t id)
{
	snprintf(out, 32, "%" PRIu64 ".%" PRIu64, id >> WIRE_ID_WORKER_SHIFT, id & ID_N_MASK);
	return out;
}

static void put_site_flags(FILE *out, uint64_t b, const struct flag_word *flag)
{
	fprintf(out, " site=%" PRIu64, b & UINT32_MAX);
	for (; flag->word; flag++)
		if (b >> 32 & flag->flag)
			fprintf(out, " %s", flag->word);
}

static const char *word_of(const char *const *word, size_t n, uint64_t i)
{
	return i < n && word[i] ? word[i] : "?";
}

static void put_operands(FILE *out, const struct event *event)
{
	char made[32], id[32];
	uint64_t b = event->b;

	text_id(made, event->made);
	text_id(id, b);
	switch (event->kind) {
	case WIRE_ROOT:
		fprintf(out, " %s", made);
		break;
	case WIRE_MEMBER:
		fprintf(out, " %s of %s", made, id);
		break;
	case WIRE_START:
		fprintf(out, " %s named 0x%" PRIx64, made, b);
		break;
	case WIRE_BEGIN:
	case WIRE_RESUME:
	case WIRE_DISCARD:
		fprintf(out, " %s", id);
		break;
	case WIRE_CREATE:
	case WIRE_FORK:
		fprintf(out, " %s", made);
		put_site_flags(out, b, event->kind == WIRE_FORK ? fork_flag : task_flag);
		break;
	case WIRE_WAIT:
		fprintf(out, " %s", word_of(wait_word, WIRE_WAITS, b >> 32 & 0xff));
		put_site_flags(out, b, wait_flag);
		break;
	case WIRE_YIELD:
		fprintf(out, " site=%" PRIu64, b);
		break;
	case WIRE_DEPEND:
		fprintf(out, " %s 0x%" PRIx64,
			word_of(depend_word, WIRE_DEPENDS, b >> WIRE_DEPEND_SHIFT),
			b & ((UINT64_C(1) << WIRE_DEPEND_SHIFT) - 1));
		break;
	case WIRE_SIGNAL:
	case WIRE_OBJECT:
	case WIRE_NAME:
	case WIRE_BAG:
	case WIRE_DISCARD_NAMED:
	case WIRE_HANDLE:
		fprintf(out, " 0x%" PRIx64, b);
		break;
	case WIRE_LOST:
		fprintf(out, " %" PRIu64, b & LOST_N_MASK);
		if (b >> WIRE_LOSS_SHIFT)
			fprintf(out, " %s", word_of(loss_word, WIRE_LOSSES, b >> WIRE_LOSS_SHIFT));
		break;
	case WIRE_CANCEL:
	case WIRE_NEXT_ID:
	case WIRE_TRACER:
	case WIRE_SINCE:
	case WIRE_UNTIL:
		fprintf(out, " %" PRIu64, b);
		break;
	case WIRE_HIDDEN:
		fprintf(out, " %s %" PRIu64,
			word_of(hidden_word, WIRE_HIDDEN_FIELDS, b >> WIRE_HIDDEN_SHIFT),
			wire_hidden_value(b));
		break;
	}
}

void text_event(FILE *out, uint32_t worker, const struct event *event)
{
	if (event->kind < WIRE_FIRST_UNTIMED)
		fprintf(out, "%" PRIu64, event->units);
	else
		fputc('-', out);
	fprintf(out, " w%u %s", worker, kind_word[event->kind]);
	put_operands(out, event);
	fputc('\n', out);
}

static void put_field(FILE *out, const char *key, const char *value)
{
	char *room;

	if (!value)
		return;
	room = malloc(3 * strlen(value) + 1);
	if (room)
		fprintf(out, " %s=%s", key, defs_escape(room, value));
	free(room);
}

static void put_marks(FILE *out, const struct defs *defs)
{
	for (uint32_t i = 0; i < defs->n_marks; i++) {
		const struct defs_mark *mark = &defs->mark[i];
		char *room = mark->name ? malloc(3 * strlen(mark->name) + 1) : NULL;

		fprintf(out, "mark %" PRIu64 " %s%s%s\n", mark->units, defs_mark_word[mark->what],
			room ? " " : "", room ? defs_escape(room, mark->name) : "");
		free(room);
	}
}

static void put_defs(FILE *out, const struct defs *defs)
{
	char *clock = malloc(3 * strlen(defs->clock ? defs->clock : "") + 3);

	fprintf(out, "%s\nclock %s\n", FIRST_LINE,
		clock && defs->clock ? defs_escape(clock, defs->clock) : "ns");
	free(clock);
	if (defs->n_syncs)
		fprintf(out, "sync %" PRIu64 " %" PRIu64 "\n", defs->first.units, defs->first.ns);
	for (uint32_t i = 0; i < defs->n_snapshots; i++)
		fprintf(out, "sync %" PRIu64 " %" PRIu64 " snapshot\n", defs->snapshot[i].units,
			defs->snapshot[i].ns);
	if (defs->n_syncs > 1)
		fprintf(out, "sync %" PRIu64 " %" PRIu64 "\n", defs->last.units, defs->last.ns);
	if (defs->whole_units)
		fprintf(out, "whole %" PRIu64 "\n", defs->whole_units);
	for (uint32_t i = 0; i < defs->n_metas; i++) {
		char *room = malloc(3 * strlen(defs->meta[i].value) + 1);

		char *key = malloc(3 * strlen(defs->meta[i].key) + 1);

		if (room && key)
			fprintf(out, "meta %s %s\n", defs_escape(key, defs->meta[i].key),
				defs_escape(room, defs->meta[i].value));
		free(room);
		free(key);
	}
	put_marks(out, defs);
	for (uint32_t i = 0; i < defs->n_runtimes; i++) {
		fprintf(out, "runtime %u", i);
		put_field(out, "name", defs->runtime[i].name);
		put_field(out, "version", defs->runtime[i].version);
		fprintf(out, " workers=%u", defs->runtime[i].n_workers);
		put_field(out, "note", defs->runtime[i].note);
		fputc('\n', out);
	}
	for (uint32_t i = 0; i < defs->n_modules; i++) {
		const struct defs_module *module = &defs->module[i];

		fprintf(out, "module %u start=0x%" PRIx64 " end=0x%" PRIx64 " bias=0x%" PRIx64, i,
			module->start, module->end, module->bias);
		put_field(out, "build-id", module->build_id);
		put_field(out, "path", module->path);
		fputc('\n', out);
	}
	for (uint32_t i = 0; i < defs->n_sites; i++) {
		const struct defs_site *site = &defs->site[i];

		fprintf(out, "site %u runtime=%u ret=0x%" PRIx64 " fn=0x%" PRIx64, i, site->runtime,
			site->return_address, site->function);
		if (site->return_module)
			fprintf(out, " ret-module=%u", site->return_module - 1);
		if (site->function_module)
			fprintf(out, " fn-module=%u", site->function_module - 1);
		put_field(out, "name", site->name);
		put_field(out, "file", site->file);
		fprintf(out, " line=%u\n", site->line);
		if (site->hidden)
			defs_put_hidden(out, i, site->hidden);
	}
}

struct head {
	struct cursor cursor;
	const struct event *event; /* the next one */
};

struct dump {
	struct head *head; /* by worker */
	uint32_t *heap;	   /* workers that have events left, the earliest first */
	uint32_t n;
	struct decoder *decoder; /* of all cursors */
};

static bool dump_before(const struct dump *dump, uint32_t a, uint32_t b)
{
	uint64_t x = dump->head[a].event->units, y = dump->head[b].event->units;

	return x != y ? x < y : a < b;
}

/* Moves the worker at `at` down to its place. */
static void dump_sink(struct dump *dump, uint32_t at)
{
	uint32_t worker = dump->heap[at];

	for (uint32_t child; (child = 2 * at + 1) < dump->n; at = child) {
		if (child + 1 < dump->n &&
		    dump_before(dump, dump->heap[child + 1], dump->heap[child]))
			child++;
		if (dump_before(dump, worker, dump->heap[child]))
			break;
		dump->heap[at] = dump->heap[child];
	}
	dump->heap[at] = worker;
}

static int dump_begin(struct dump *dump, const struct reader *reader, uint32_t n, struct err *err)
{
	int got = 0;

	dump->head = calloc(n + 1, sizeof(*dump->head));
	dump->heap = calloc(n + 1, sizeof(*dump->heap));
	dump->decoder = decoder_new();
	if (!dump->head || !dump->heap || !dump->decoder)
		return err_set(err, ENOMEM, "out of memory");
	for (uint32_t w = 0; w < n && got >= 0; w++) {
		cursor_open(&dump->head[w].cursor, reader, w);
		cursor_borrow(&dump->head[w].cursor, dump->decoder);
		got = cursor_next(&dump->head[w].cursor, &dump->head[w].event, err);
		if (got > 0)
			dump->heap[dump->n++] = w;
	}
	for (uint32_t i = dump->n; got >= 0 && i-- > 0;)
		dump_sink(dump, i);
	return got;
}

/* The earliest event, and those behind it that have no time of their own. */
static int dump_next(struct dump *dump, FILE *out, struct err *err)
{
	uint32_t worker = dump->heap[0];
	struct head *head = &dump->head[worker];
	int got;

	do {
		text_event(out, worker, head->event);
		got = cursor_next(&head->cursor, &head->event, err);
	} while (got > 0 && head->event->kind >= WIRE_FIRST_UNTIMED);
	if (got == 0)
		dump->heap[0] = dump->heap[--dump->n];
	if (got >= 0 && dump->n)
		dump_sink(dump, 0);
	return got;
}

int text_dump(const struct reader *reader, FILE *out, struct err *err)
{
	uint32_t n = reader_facts(reader)->n_workers;
	struct dump dump = { 0 };
	int got = dump_begin(&dump, reader, n, err);

	if (dump.heap && dump.head && dump.decoder)
		put_defs(out, reader_defs(reader));
	while (got >= 0 && dump.n)
		got = dump_next(&dump, out, err);
	for (uint32_t w = 0; dump.head && w < n; w++)
		cursor_close(&dump.head[w].cursor);
	decoder_free(dump.decoder);
	free(dump.heap);
	free(dump.head);
	return got < 0 ? got : 0;
}

/* ---- reading ---- */

struct lane { /* a worker */
	struct wire_event *event;
	uint32_t n, room;
	uint32_t seqno;
	uint64_t last, last_packed; /* times */
	uint64_t n_ids, packed_ids;
};

struct loader {
	struct trace_file file;
	struct encoder *encoder;
	struct lane *lane;
	uint32_t n_lanes, lane_room;
	char *defs; /* lines, as they are */
	size_t defs_bytes, defs_room;
	struct defs checked;
	const char *path;
	uint64_t line;
	char quote[QUOTE_MAX]; /* the line */
	const char *what;      /* is wrong */
};

static int flush(struct loader *loader, uint32_t worker)
{
	struct lane *lane = &loader->lane[worker];
	struct wire_block block = { .worker = worker, .seqno = lane->seqno };
	struct encode_source source = { .slot = lane->event,
					.mask = UINT64_MAX,
					.n = lane->n,
					.last_units = lane->last_packed,
					.n_ids = lane->packed_ids };
	const void *body;
	int error;

	if (lane->n == 0)
		return 0;
	error = encode_block(loader->encoder, &source, &block, &body);
	if (!error)
		error = trace_file_put(&loader->file, &block, body);
	lane->seqno++;
	lane->n = 0;
	lane->last_packed = source.last_units;
	lane->packed_ids = source.n_ids;
	return error;
}

static bool grow_lanes(struct loader *loader, uint32_t n)
{
	uint32_t room = loader->lane_room ? loader->lane_room : 16;
	struct lane *more;

	while (room < n)
		room *= 2;
	if (room > loader->lane_room) {
		more = realloc(loader->lane, room * sizeof(*more));
		if (!more)
			return false;
		loader->lane = more;
		loader->lane_room = room;
	}
	memset(loader->lane + loader->n_lanes, 0, (n - loader->n_lanes) * sizeof(*more));
	loader->n_lanes = n;
	return true;
}

/* The worker's lane, with room for one event more. */
static struct lane *lane_of(struct loader *loader, uint64_t worker)
{
	struct lane *lane;

	if (worker >= loader->n_lanes && !grow_lanes(loader, (uint32_t)worker + 1))
		return NULL;
	lane = &loader->lane[worker];
	if (lane->n == lane->room) {
		uint32_t room = lane->room ? 2 * lane->room : 16;
		struct wire_event *more = realloc(lane->event, room * sizeof(*more));

		if (!more)
			return NULL;
		lane->event = more;
		lane->room = room;
	}
	return lane;
}

static int wrong(struct loader *loader, const char *what)
{
	loader->what = what;
	return -EPROTO;
}

static int parse_id(const char *word, uint64_t *id)
{
	char *dot = word ? strchr(word, '.') : NULL;
	uint64_t worker, n;

	if (!dot)
		return -EPROTO;
	*dot = 0;
	if (defs_number(word, &worker) < 0 || defs_number(dot + 1, &n) < 0 ||
	    worker >= WIRE_WORKERS || n == 0 || n > ID_N_MASK)
		return -EPROTO;
	*id = worker << WIRE_ID_WORKER_SHIFT | n;
	return 0;
}

/* A made id must be the worker's next. */
static int parse_made(struct loader *loader, struct lane *lane, uint32_t worker, const char *word)
{
	static _Thread_local char what[100];
	uint64_t id;

	if (parse_id(word, &id) < 0)
		return wrong(loader, "an id W.N is needed here");
	if (id != ((uint64_t)worker << WIRE_ID_WORKER_SHIFT | (lane->n_ids + 1))) {
		snprintf(what, sizeof(what), "the next id of worker %u is %u.%" PRIu64, worker,
			 worker, lane->n_ids + 1);
		return wrong(loader, what);
	}
	lane->n_ids++;
	return 0;
}

static int find_word(const char *const *word, uint32_t n, const char *wanted)
{
	for (uint32_t i = 0; wanted && i < n; i++)
		if (word[i] && strcmp(word[i], wanted) == 0)
			return (int)i;
	return -1;
}

/* What may follow: site=N and flags. */
static int parse_site_flags(struct loader *loader, char *rest, const struct flag_word *flags,
			    uint64_t *b)
{
	char *word;
	uint64_t site;

	while ((word = defs_word(&rest))) {
		const struct flag_word *flag = flags;

		if (strncmp(word, "site=", 5) == 0) {
			if (defs_number(word + 5, &site) < 0 || site > UINT32_MAX)
				return wrong(loader, "a number is needed after site=");
			*b |= site;
			continue;
		}
		while (flag && flag->word && strcmp(flag->word, word) != 0)
			flag++;
		if (!flag || !flag->word)
			return wrong(loader, "an unknown word after the event");
		*b |= (uint64_t)flag->flag << 32;
	}
	return 0;
}

static int parse_depend(struct loader *loader, char **rest, uint64_t *b)
{
	int type = find_word(depend_word, WIRE_DEPENDS, defs_word(rest));
	char *word = defs_word(rest);
	uint64_t address = 0;

	if (type < 0)
		return wrong(loader, "depend needs in, out, mutex, set, all or on");
	if ((!word && type != WIRE_DEPEND_ALL) ||
	    (word && (defs_number(word, &address) < 0 || address >> WIRE_DEPEND_SHIFT)))
		return wrong(loader, "depend needs an address");
	*b = address | (uint64_t)type << WIRE_DEPEND_SHIFT;
	return 0;
}

static int parse_hidden(struct loader *loader, struct lane *lane, char **rest, uint64_t *b)
{
	int field = find_word(hidden_word, WIRE_HIDDEN_FIELDS, defs_word(rest));
	const char *word = defs_word(rest);
	uint64_t value;

	if (field < 0 || !word || defs_number(word, &value) < 0 || value >> WIRE_HIDDEN_SHIFT)
		return wrong(loader, "hidden needs what, and a number");
	if (field == WIRE_HIDDEN_MADE)
		lane->n_ids += value;
	*b = (uint64_t)field << WIRE_HIDDEN_SHIFT | value;
	return 0;
}

static int parse_lost(struct loader *loader, char *rest, uint64_t *b)
{
	char *word = defs_word(&rest);
	int why = 0;

	if (!word || defs_number(word, b) < 0 || *b > LOST_N_MASK)
		return wrong(loader, "a number is needed after the event");
	word = defs_word(&rest);
	if (word)
		why = find_word(loss_word, WIRE_LOSSES, word);
	if (why < 0)
		return wrong(loader, "events are lost by ring, stopped, size or old");
	*b |= (uint64_t)why << WIRE_LOSS_SHIFT;
	return 0;
}

static int parse_operands(struct loader *loader, struct lane *lane, uint32_t worker, int kind,
			  char *rest, uint64_t *b)
{
	char *word;
	int wait;

	*b = 0;
	switch (kind) {
	case WIRE_ROOT:
		return parse_made(loader, lane, worker, defs_word(&rest));
	case WIRE_MEMBER:
		if (parse_made(loader, lane, worker, defs_word(&rest)) < 0)
			return -EPROTO;
		word = defs_word(&rest);
		if (!word || strcmp(word, "of") != 0 || parse_id(defs_word(&rest), b) < 0)
			return wrong(loader, "member needs `of` and the id of a group");
		return 0;
	case WIRE_START:
		if (parse_made(loader, lane, worker, defs_word(&rest)) < 0)
			return -EPROTO;
		word = defs_word(&rest);
		if (word && strcmp(word, "named") == 0)
			word = defs_word(&rest);
		else
			word = NULL;
		if (!word || defs_number(word, b) < 0)
			return wrong(loader, "start needs `named` and a name");
		return 0;
	case WIRE_BEGIN:
	case WIRE_RESUME:
	case WIRE_DISCARD:
		return parse_id(defs_word(&rest), b) < 0 ? wrong(loader, "an id W.N is needed here")
							 : 0;
	case WIRE_CREATE:
	case WIRE_FORK:
		if (parse_made(loader, lane, worker, defs_word(&rest)) < 0)
			return -EPROTO;
		return parse_site_flags(loader, rest, kind == WIRE_FORK ? fork_flag : task_flag, b);
	case WIRE_WAIT:
		wait = find_word(wait_word, WIRE_WAITS, defs_word(&rest));
		if (wait < 0)
			return wrong(loader, "wait needs children, group, team, depend, object, "
					     "named, bag or barrier");
		*b = (uint64_t)wait << 32;
		return parse_site_flags(loader, rest, wait_flag, b);
	case WIRE_YIELD:
		return parse_site_flags(loader, rest, NULL, b);
	case WIRE_DEPEND:
		return parse_depend(loader, &rest, b);
	case WIRE_LOST:
		return parse_lost(loader, rest, b);
	case WIRE_END:
	case WIRE_GROUP:
	case WIRE_NOWAIT:
	case WIRE_MOVED:
		return 0;
	case WIRE_HIDDEN:
		return parse_hidden(loader, lane, &rest, b);
	default:
		word = defs_word(&rest);
		if (!word || defs_number(word, b) < 0)
			return wrong(loader, "a number is needed after the event");
		if (kind == WIRE_NEXT_ID && *b > ENCODE_IDS_MAX)
			return wrong(loader, "the number is too large");
		if (kind == WIRE_NEXT_ID)
			lane->n_ids = *b;
		return 0;
	}
}

static int parse_event(struct loader *loader, char *time, char *rest)
{
	char *worker_word = defs_word(&rest), *word = defs_word(&rest);
	int kind = find_word(kind_word, WIRE_KINDS, word);
	uint64_t worker, units = 0, b;
	struct lane *lane;

	if (!worker_word || worker_word[0] != 'w' || defs_number(worker_word + 1, &worker) < 0)
		return wrong(loader, "a worker, wN, is needed after the time");
	if (worker >= WIRE_WORKERS)
		return wrong(loader, "the number of the worker is too large");
	if (kind < 0)
		return wrong(loader, "an unknown event");
	lane = lane_of(loader, worker);
	if (!lane)
		return wrong(loader, "out of memory");
	if (kind < WIRE_FIRST_UNTIMED) {
		if (defs_number(time, &units) < 0 || units >> 56)
			return wrong(loader, "a time is needed first");
		if (units < lane->last)
			return wrong(loader, "time runs backwards on this worker");
		lane->last = units;
	} else if (strcmp(time, "-") != 0) {
		return wrong(loader, "this event has no time of its own: -");
	}
	if (parse_operands(loader, lane, (uint32_t)worker, kind, rest, &b) < 0)
		return -EPROTO;
	lane->event[lane->n++] = (struct wire_event){ units << 8 | (uint64_t)kind, b };
	return lane->n == BATCH_EVENTS ? flush(loader, (uint32_t)worker) : 0;
}

static int keep_definition(struct loader *loader, const char *line, size_t bytes)
{
	size_t wanted = loader->defs_bytes + bytes + 1;
	char *copy;
	int error;

	if (wanted > loader->defs_room) {
		char *more = realloc(loader->defs, 2 * wanted);

		if (!more)
			return wrong(loader, "out of memory");
		loader->defs = more;
		loader->defs_room = 2 * wanted;
	}
	memcpy(loader->defs + loader->defs_bytes, line, bytes);
	loader->defs[wanted - 1] = '\n';
	copy = strndup(line, bytes);
	if (!copy)
		return wrong(loader, "out of memory");
	loader->defs_bytes = wanted;
	error = defs_line(&loader->checked, copy, &loader->what);
	free(copy);
	return error;
}

static int load_line(struct loader *loader, const char *line, size_t bytes)
{
	char room[1024];
	char *rest = room, *word;

	if (bytes && line[0] != '-' && (line[0] < '0' || line[0] > '9'))
		return keep_definition(loader, line, bytes);
	if (bytes >= sizeof(room))
		return wrong(loader, "a line that is too long");
	memcpy(room, line, bytes);
	room[bytes] = 0;
	word = defs_word(&rest);
	return word ? parse_event(loader, word, rest) : 0;
}

static int first_line(struct loader *loader, const char *line, size_t bytes)
{
	if (bytes == strlen(FIRST_LINE) && memcmp(line, FIRST_LINE, bytes) == 0)
		return 0;
	return wrong(loader, "the first line is not `" FIRST_LINE "`");
}

/* Keeps the beginning of a line for the message, in printable bytes. */
static void quote(struct loader *loader, const char *line, size_t bytes)
{
	size_t n = bytes < QUOTE_MAX - 1 ? bytes : QUOTE_MAX - 1;

	for (size_t i = 0; i < n; i++)
		loader->quote[i] = line[i] >= ' ' && line[i] < 0x7f ? line[i] : '?';
	loader->quote[n] = 0;
}

static int load_lines(struct loader *loader, const char *text, uint64_t bytes)
{
	const char *end = text + bytes;
	int error = 0;

	while (text < end && !error) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;

		loader->line++;
		if (loader->line == 1)
			error = first_line(loader, text, (size_t)(stop - text));
		else
			error = load_line(loader, text, (size_t)(stop - text));
		if (error)
			quote(loader, text, (size_t)(stop - text));
		text = stop + 1;
	}
	return error;
}

static void loader_free(struct loader *loader)
{
	for (uint32_t i = 0; i < loader->n_lanes; i++)
		free(loader->lane[i].event);
	free(loader->lane);
	free(loader->defs);
	defs_free(&loader->checked);
	encoder_free(loader->encoder);
	trace_file_close(&loader->file);
}

int text_load(const char *text, uint64_t bytes, const char *path, int fd, struct err *err)
{
	struct loader loader = { .path = path, .encoder = encoder_new() };
	int error = trace_file_on(&loader.file, fd, path);

	if (!error && !loader.encoder)
		error = wrong(&loader, "out of memory");
	if (!error)
		error = load_lines(&loader, text, bytes);
	for (uint32_t i = 0; i < loader.n_lanes && !error; i++)
		error = flush(&loader, i);
	if (!error)
		error = trace_file_put_defs(&loader.file, loader.defs, loader.defs_bytes);
	if (!error)
		error = trace_file_finish(&loader.file);
	if (error && loader.what)
		err_set(err, -error, "%s: line %" PRIu64 ": `%.*s`: %s", path, loader.line,
			QUOTE_MAX, loader.quote, loader.what);
	else if (error)
		err_set(err, -error, "%s", loader.file.err.text);
	loader_free(&loader);
	return error;
}

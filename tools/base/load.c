/* SPDX-License-Identifier: MIT */
/* load.c - text to a trace. */
#include "tools/base/load.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/xalloc.h"
#include "tools/trace/defs_read.h"
#include "collector/trace/encode.h"
#include "collector/trace/file.h"
#include "collector/trace/grow.h"
#include "tools/trace/reader.h"
#include "tools/base/event_text.h"

#define QUOTE_MAX 60	    /* of a line, in a message: beside path and reason, on one line */
#define BATCH_EVENTS 16384u /* a block: each worker of the text waits in memory for so many */

/*
 * The events of a worker.  Lines of workers may alternate, but a block is of one worker: so what is
 * not written yet is kept here.
 */
struct stream {
	struct wire_event *event;
	uint32_t n;
	uint32_t seqno;
	uint64_t last, last_packed; /* times */
	uint64_t n_ids, packed_ids;
};

struct loader {
	struct trace_file file;
	struct encoder *encoder;
	struct stream *stream;
	uint32_t n_streams;
	char *defs; /* lines, as they are */
	size_t defs_bytes;
	struct defs checked;
	const char *path;
	uint64_t line;
	char quote[QUOTE_MAX]; /* the line */
	const char *what;      /* is wrong */
};

static int flush(struct loader *loader, uint32_t worker)
{
	struct stream *stream = &loader->stream[worker];
	struct wire_block block = { .worker = worker, .seqno = stream->seqno };
	struct encode_source source = { .slot = stream->event,
					.n = stream->n,
					.last_units = stream->last_packed,
					.n_ids = stream->packed_ids };
	const void *body;
	int error;

	if (stream->n == 0)
		return 0;
	if (encode_block(loader->encoder, &source, &block, &body) < 0)
		out_of_memory();
	error = trace_file_put(&loader->file, &block, body);
	stream->seqno++;
	stream->n = 0;
	stream->last_packed = source.last_units;
	stream->packed_ids = source.n_ids;
	return error;
}

/* Room for so many more. */
static void more(void *array, uint64_t n, uint64_t n_more, size_t entry_bytes)
{
	if (!grow(array, n, n_more, entry_bytes))
		out_of_memory();
}

/* The worker's stream, with room for one event more. */
static struct stream *stream_of(struct loader *loader, uint64_t worker)
{
	struct stream *stream;

	if (worker >= loader->n_streams) { /* they appear in any order, and some not at all */
		more(&loader->stream, loader->n_streams, worker + 1 - loader->n_streams,
		     sizeof(*stream));
		loader->n_streams = (uint32_t)worker + 1;
	}
	stream = &loader->stream[worker];
	more(&stream->event, stream->n, 1, sizeof(*stream->event));
	return stream;
}

static int wrong(struct loader *loader, const char *what)
{
	loader->what = what;
	return -EPROTO;
}

static int parse_id(struct loader *loader, char *word, uint64_t *id)
{
	char *dot = word ? strchr(word, '.') : NULL;
	uint64_t worker, n;

	if (!dot)
		return wrong(loader, "an id W.N is needed here");
	*dot = 0;
	if (defs_number(word, &worker) < 0 || defs_number(dot + 1, &n) < 0 ||
	    worker >= WIRE_WORKERS || n == 0 || n != id_n(n))
		return wrong(loader, "an id W.N is needed here");
	*id = id_make(worker, n);
	return 0;
}

/* A made id must be the worker's next. */
static int parse_made(struct loader *loader, uint32_t worker, char *word)
{
	/* loader->what points to words that stay: these have numbers in them */
	static _Thread_local char what[100];
	uint64_t next = loader->stream[worker].n_ids + 1, id;

	if (parse_id(loader, word, &id) < 0)
		return -EPROTO;
	if (id == id_make(worker, next))
		return 0;
	snprintf(what, sizeof(what), "the next id of worker %u is %u.%" PRIu64, worker, worker,
		 next);
	return wrong(loader, what);
}

static int parse_number(struct loader *loader, const char *word, uint64_t *b)
{
	return word && defs_number(word, b) == 0
		       ? 0
		       : wrong(loader, "a number is needed after the event");
}

static int find_word(const char *const *word, uint32_t n, const char *wanted)
{
	for (uint32_t i = 0; wanted && i < n; i++)
		if (word[i] && strcmp(word[i], wanted) == 0)
			return (int)i;
	return -1;
}

/* site=N and flags; of a wait, what for comes first. */
static int parse_site(struct loader *loader, enum operand operand, char *rest, uint64_t *b)
{
	char *word;
	uint64_t site = 0;
	uint32_t flags = 0;

	if (operand == OPERAND_WAIT) {
		int wait = find_word(text_wait, WIRE_WAITS, defs_word(&rest));

		if (wait < 0)
			return wrong(loader, "wait needs children, group, team, depend, object, "
					     "named, bag or barrier");
		flags = (uint32_t)wait;
	}
	while ((word = defs_word(&rest))) {
		const struct text_flag *flag = text_flags(operand);

		if (strncmp(word, "site=", 5) == 0) {
			if (defs_number(word + 5, &site) < 0 || site > UINT32_MAX)
				return wrong(loader, "a number is needed after site=");
			continue;
		}
		while (flag->word && strcmp(flag->word, word) != 0)
			flag++;
		if (!flag->word)
			return wrong(loader, "an unknown word after the event");
		flags |= flag->flag;
	}
	*b = site_make((uint32_t)site, flags);
	return 0;
}

static int parse_depend(struct loader *loader, char *rest, uint64_t *b)
{
	int type = find_word(text_depend, WIRE_DEPENDS, defs_word(&rest));
	char *word = defs_word(&rest);
	uint64_t address = 0;

	if (type < 0)
		return wrong(loader, "depend needs in, out, mutex, set, all or on");
	if ((!word && type != WIRE_DEPEND_ALL) ||
	    (word && (defs_number(word, &address) < 0 || address != depend_address(address))))
		return wrong(loader, "depend needs an address");
	*b = depend_make(address, (unsigned)type);
	return 0;
}

static int parse_tally(struct loader *loader, char *rest, uint64_t *b)
{
	const char *site = defs_word(&rest), *number;
	int part = find_word(text_tally, WIRE_TALLY_BY_WORK + 1, defs_word(&rest));
	uint64_t site_n, bucket = 0, value;

	if (!site || strncmp(site, "site=", 5) != 0 || defs_number(site + 5, &site_n) < 0 ||
	    site_n >= WIRE_TALLY_SITES || part < 0)
		return wrong(loader, "tally needs site=S, what, and a number");
	if (part == WIRE_TALLY_BY_WORK &&
	    (parse_number(loader, defs_word(&rest), &bucket) < 0 || bucket >= WIRE_BUCKETS))
		return wrong(loader, "tally by-work needs a bucket, and a number");
	number = defs_word(&rest);
	if (parse_number(loader, number, &value) < 0)
		return -EPROTO;
	if (value > WIRE_TALLY_MOST)
		return wrong(loader, "the number is too large");
	*b = tally_make((uint32_t)site_n, (uint32_t)part + (uint32_t)bucket, value);
	return 0;
}

static int parse_lost(struct loader *loader, char *rest, uint64_t *b)
{
	uint64_t n;
	char *word;
	int why = WIRE_LOSS_RING;

	if (parse_number(loader, defs_word(&rest), &n) < 0)
		return -EPROTO;
	if (n != lost_n(n))
		return wrong(loader, "the number is too large");
	word = defs_word(&rest);
	if (word)
		why = find_word(text_loss, WIRE_LOSSES, word);
	if (why < 0)
		return wrong(loader, "events are lost by ring, stopped, size, old or died");
	*b = lost_make(n, (unsigned)why);
	return 0;
}

static int parse_counter(struct loader *loader, char *rest, uint64_t *b)
{
	uint64_t number, value;

	if (parse_number(loader, defs_word(&rest), &number) < 0 ||
	    parse_number(loader, defs_word(&rest), &value) < 0)
		return -EPROTO;
	if (number >= WIRE_COUNTERS || value > WIRE_FIELD_MOST)
		return wrong(loader, "the number is too large");
	*b = field_make(number, value);
	return 0;
}

static int parse_worded(struct loader *loader, enum operand operand, char *rest, uint64_t *b)
{
	const struct text_worded *worded = text_worded(operand);
	int number = find_word(worded->word, worded->n, defs_word(&rest));

	if (number < 0)
		return wrong(loader, worded->lacking);
	if (parse_number(loader, defs_word(&rest), b) < 0)
		return -EPROTO;
	if (*b >> worded->shift)
		return wrong(loader, "the number is too large");
	*b |= (uint64_t)number << worded->shift;
	return 0;
}

/* The word between the id that an event makes and its operand. */
static int parse_between(struct loader *loader, const char *wanted, char **rest)
{
	char *word = defs_word(rest);

	return word && strcmp(word, wanted) == 0
		       ? 0
		       : wrong(loader, "member needs `of` and a group, start `named` and a name");
}

static int parse_operand(struct loader *loader, uint32_t worker, unsigned kind, char *rest,
			 uint64_t *b)
{
	enum operand operand = kind_operand(kind);

	*b = 0;
	if (kind_makes(kind) && parse_made(loader, worker, defs_word(&rest)) < 0)
		return -EPROTO;
	switch (operand) {
	case OPERAND_NONE:
		return 0;
	case OPERAND_ID:
		if (kind_makes(kind) && parse_between(loader, "of", &rest) < 0)
			return -EPROTO;
		return parse_id(loader, defs_word(&rest), b);
	case OPERAND_SITE:
	case OPERAND_TASK:
	case OPERAND_FORK:
	case OPERAND_WAIT:
		return parse_site(loader, operand, rest, b);
	case OPERAND_NAME:
		if (kind_makes(kind) && parse_between(loader, "named", &rest) < 0)
			return -EPROTO;
		return parse_number(loader, defs_word(&rest), b);
	case OPERAND_DEPEND:
		return parse_depend(loader, rest, b);
	case OPERAND_LOST:
		return parse_lost(loader, rest, b);
	case OPERAND_COLLAPSED:
	case OPERAND_MESSAGE:
	case OPERAND_FIELD:
		return parse_worded(loader, operand, rest, b);
	case OPERAND_TALLY:
		return parse_tally(loader, rest, b);
	case OPERAND_COUNTER:
		return parse_counter(loader, rest, b);
	default:
		return parse_number(loader, defs_word(&rest), b);
	}
}

static int parse_event(struct loader *loader, char *time, char *rest)
{
	char *worker_word = defs_word(&rest), *word = defs_word(&rest);
	int found = find_word(text_kind, WIRE_KINDS, word);
	unsigned kind = (unsigned)found;
	uint64_t worker, units = 0, b;
	struct stream *stream;

	if (!worker_word || worker_word[0] != 'w' || defs_number(worker_word + 1, &worker) < 0)
		return wrong(loader, "a worker, wN, is needed after the time");
	if (worker >= WIRE_WORKERS)
		return wrong(loader, "the number of the worker is too large");
	if (found < 0)
		return wrong(loader, "an unknown event");
	stream = stream_of(loader, worker);
	if (kind_timed(kind)) {
		if (defs_number(time, &units) < 0)
			return wrong(loader, "a time is needed first");
		if (units >> 56) /* the kind has the other bits */
			return wrong(loader, "the time is too large");
		if (units < stream->last)
			return wrong(loader, "time runs backwards on this worker");
		stream->last = units;
	} else if (strcmp(time, "-") != 0) {
		return wrong(loader, "this event has no time of its own: -");
	}
	if (parse_operand(loader, (uint32_t)worker, kind, rest, &b) < 0)
		return -EPROTO;
	stream->n_ids = ids_after(kind, b, stream->n_ids);
	if (!kind_timed(kind) && stream->n_ids > ENCODE_IDS_MAX)
		return wrong(loader, "the number is too large");
	stream->event[stream->n++] = (struct wire_event){ event_at(units, kind), b };
	return stream->n == BATCH_EVENTS ? flush(loader, (uint32_t)worker) : 0;
}

/* Definitions go into the trace as they are; they are read only to find what is wrong. */
static int keep_definition(struct loader *loader, const char *line, size_t bytes)
{
	size_t wanted = loader->defs_bytes + bytes + 1;
	FREED char *copy = xstrndup(line, bytes);
	int error;

	more(&loader->defs, loader->defs_bytes, bytes + 1, 1);
	memcpy(loader->defs + loader->defs_bytes, line, bytes);
	loader->defs[wanted - 1] = '\n';
	loader->defs_bytes = wanted;
	error = defs_line(&loader->checked, copy, &loader->what);
	if (error == -ENOENT && strncmp(line, "collapsed ", 10) == 0)
		loader->what = "text of tptrace 0.2; `tally` events say this now: record the "
			       "program again";
	return error == -ENOENT ? -EPROTO : error;
}

static int load_line(struct loader *loader, const char *line, size_t bytes)
{
	char room[1024]; /* of an event: definitions have any length */
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
	static const char first[] = TEXT_FIRST_WORDS TEXT_VERSION, old[] = TEXT_FIRST_WORDS "1";

	if (bytes == strlen(first) && memcmp(line, first, bytes) == 0)
		return 0;
	if (bytes == strlen(old) && memcmp(line, old, bytes) == 0)
		return wrong(loader, "text of version 1, written by tptrace 0.1: make this line "
				     "`" TEXT_FIRST_WORDS TEXT_VERSION
				     "`, and each word `hidden` `collapsed`");
	return wrong(loader, "the first line is not `" TEXT_FIRST_WORDS TEXT_VERSION "`");
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

	while ((text < end || loader->line == 0) && !error) { /* an empty text has no first line */
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
	for (uint32_t i = 0; i < loader->n_streams; i++)
		free(loader->stream[i].event);
	free(loader->stream);
	free(loader->defs);
	defs_free(&loader->checked);
	encoder_free(loader->encoder);
	trace_file_close(&loader->file);
}

int text_load(const char *text, uint64_t bytes, const char *path, int fd, const char *out_path,
	      struct err *err)
{
	AT_END(loader_free) struct loader loader = {
		.path = path, .encoder = encoder_new() ?: (out_of_memory(), NULL)
	};
	int error = trace_file_on(&loader.file, fd, out_path);

	if (!error)
		error = load_lines(&loader, text, bytes);
	for (uint32_t i = 0; i < loader.n_streams && !error; i++)
		error = flush(&loader, i);
	if (!error)
		error = trace_file_put_defs(&loader.file, loader.defs, loader.defs_bytes) ?:
			trace_file_finish(&loader.file);
	if (error && loader.what)
		err_set(err, -error, "%s: line %" PRIu64 ": `%.*s`: %s", path, loader.line,
			QUOTE_MAX, loader.quote, loader.what);
	else if (error)
		err_set(err, -error, "%s", loader.file.err.text);
	return error;
}

/* The bytes of a text; 0 of any other file. */
static uint64_t text_bytes(int fd)
{
	char first[sizeof(TEXT_FIRST_WORDS) - 1];
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    pread(fd, first, sizeof(first), 0) < (ssize_t)sizeof(first) ||
	    memcmp(first, TEXT_FIRST_WORDS, sizeof(first)) != 0)
		return 0;
	return (uint64_t)st.st_size;
}

/* A trace in memory, made of a text: its file, or -errno and *err. */
static int convert(int fd, uint64_t bytes, const char *path, struct err *err)
{
	void *text = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	int to, error;

	if (text == MAP_FAILED)
		return err_set(err, errno, "%s: cannot map: %s", path, strerror(errno));
	to = memfd_create("tptrace", MFD_CLOEXEC);
	if (to < 0)
		error = err_set(err, errno, "%s: %s", path, strerror(errno));
	else
		error = text_load(text, bytes, path, dup(to), path, err);
	munmap(text, bytes);
	if (error && to >= 0)
		close(to);
	return error ? error : to;
}

int text_open(struct reader **out, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), text = fd;
	uint64_t bytes;

	*out = NULL;
	if (fd < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	bytes = text_bytes(fd);
	if (bytes) {
		fd = convert(text, bytes, path, err);
		close(text);
	}
	return fd < 0 ? fd : reader_open_fd(out, fd, path, bytes, err);
}

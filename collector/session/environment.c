/* SPDX-License-Identifier: MIT */
/* environment.c - reads the environment. */
#include "collector/session/environment.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collector/session/file_limit.h"

/* Like strcmp() and strncmp(), which a program may have in place of libc's, as one does that is
 * built with ThreadSanitizer; and these are not to be called before it has begun. */
static bool is_word(const char *text, const char *word)
{
	while (*text && *text == *word)
		text++, word++;
	return *text == *word;
}

static const char *skip(const char *text, const char *word)
{
	while (*word && *text == *word)
		text++, word++;
	return *word ? NULL : text;
}

bool options_bytes(const char *text, uint64_t *bytes)
{
	static const char unit[] = "kKmMgG";
	const char *found;
	uint64_t n = 0;
	unsigned shift = 0;

	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		if (n > UINT64_MAX / 16) /* else ten times it, and nine, fits */
			return false;
		n = n * 10 + (uint64_t)(*text - '0');
	}
	found = *text ? strchr(unit, *text) : NULL;
	if (found) {
		shift = 10 * (1 + (unsigned)(found - unit) / 2);
		text++;
	}
	if (*text || n > UINT64_MAX >> 1 >> shift) /* an off_t has a sign */
		return false;
	*bytes = n << shift;
	return true;
}

bool options_ring_bytes(const char *text, uint64_t *bytes)
{
	return options_bytes(text, bytes) && *bytes > 0;
}

bool options_max_bytes(const char *text, uint64_t *bytes)
{
	return options_bytes(text, bytes) && *bytes >= OPTIONS_MAX_BYTES_LEAST;
}

bool options_collector_threads(const char *text, uint64_t *n)
{
	const char *end = text;

	while (*end >= '0' && *end <= '9') /* no unit, as sizes have one */
		end++;
	return !*end && options_bytes(text, n) && *n > 0 && *n <= OPTIONS_COLLECTOR_THREADS_MAX;
}

bool options_collapse(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} unit[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	uint64_t n = 0;

	*ns = 0;
	if (is_word(text, "off"))
		return true;
	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		if (n > 1000000000) /* else ten times it, in s, is a number of ns */
			return false;
		n = n * 10 + (uint64_t)(*text - '0');
	}
	for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
		if (is_word(text, unit[i].name))
			*ns = n * unit[i].ns;
	return *ns > 0;
}

static bool read_clock(const char *text, uint64_t *wish)
{
	*wish = is_word(text, "tsc")	     ? CLOCK_WISH_TSC
		: is_word(text, "monotonic") ? CLOCK_WISH_MONOTONIC
					     : CLOCK_WISH_NONE;
	return *wish != CLOCK_WISH_NONE;
}

/* Signals that programs commonly leave to their users: none reports a fault or stops a process. */
bool options_signal(const char *text, uint64_t *number)
{
	static const struct {
		const char *name;
		int number;
	} known[] = { { "USR1", SIGUSR1 },   { "USR2", SIGUSR2 }, { "HUP", SIGHUP },
		      { "WINCH", SIGWINCH }, { "URG", SIGURG },	  { "IO", SIGIO },
		      { "PWR", SIGPWR } };
	bool is_number;

	if (skip(text, "SIG"))
		text += 3;
	is_number = options_bytes(text, number);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (is_word(text, known[i].name))
			*number = (uint64_t)known[i].number;
		else if (!is_number || *number != (uint64_t)known[i].number)
			continue;
		return true;
	}
	return is_number && *number >= (uint64_t)SIGRTMIN && *number <= (uint64_t)SIGRTMAX;
}

void options_say_bad(const char *name, const char *value, const char *why)
{
	/* one call, so that lines of many processes stay whole; and values have any length */
	const char *piece[] = { "tptrace: ", name, "=", value, ": ", why, "\n" };
	struct iovec line[sizeof(piece) / sizeof(piece[0])];
	enum { WHY = 5 };
	struct file_limit held;
	int n = sizeof(piece) / sizeof(piece[0]);

	for (int i = 0; i < n; i++)
		line[i] =
			(struct iovec){ (void *)piece[i], strnlen(piece[i], i == WHY ? 600 : 200) };
	held = file_limit_hold(); /* standard error may be a file */
	if (writev(STDERR_FILENO, line, n) < 0)
		errno = 0; /* there is nobody left to tell */
	file_limit_release(&held);
}

#define NOTED 63 /* variables; there are half as many */

static char *noted[NOTED + 1];

void options_note(char **env)
{
	unsigned n = 0;

	for (; env && *env && n < NOTED; env++)
		if (skip(*env, "TPTRACE_"))
			noted[n++] = *env;
}

static const char *value_in(char **env, const char *name)
{
	for (; env && *env; env++) {
		const char *end = skip(*env, name);

		if (end && *end == '=')
			return end[1] ? end + 1 : NULL;
	}
	return NULL;
}

const char *options_variable(const char *name)
{
	const char *value = value_in(environ, name);

	return value ? value : value_in(noted, name);
}

/* Whether it is `yes`; anything but that and `no` is bad. */
static bool read_choice(const char *name, const char *no, const char *yes, const char *wanted,
			bool say)
{
	const char *value = options_variable(name);

	if (!value || is_word(value, no))
		return false;
	if (is_word(value, yes))
		return true;
	if (say)
		options_say_bad(name, value, wanted);
	return false;
}

/* The variable's value, or `otherwise`: where it is not set, or bad. */
static uint64_t read_value(bool say, const char *name, uint64_t otherwise,
			   bool (*read)(const char *text, uint64_t *value), const char *wanted)
{
	const char *text = options_variable(name);
	uint64_t value;

	if (text && read(text, &value))
		return value;
	if (text && say)
		options_say_bad(name, text, wanted);
	return otherwise;
}

void options_read(struct options *options, bool say)
{
	static const char bad_signal[] = "invalid signal; use USR1, USR2 or the like";

	*options = (struct options){ 0 };
	options->ring_bytes = read_value(say, "TPTRACE_BUFFER", 0, options_ring_bytes,
					 "not a size like 64K, 1M; using 1M");
	options->collapse_ns =
		read_value(say, "TPTRACE_COLLAPSE", OPTIONS_COLLAPSE_NS, options_collapse,
			   "neither off nor a time like 100us; using 100us");
	options->drop = read_choice("TPTRACE_OVERFLOW", "flush", "drop",
				    "neither flush nor drop; using flush", say);
	options->start_off =
		read_choice("TPTRACE_START", "on", "off", "neither on nor off; using on", say);
	options->no_control =
		read_choice("TPTRACE_CONTROL", "on", "off", "neither on nor off; using on", say);
	options->keep_last = read_choice("TPTRACE_KEEP", "first", "last",
					 "neither first nor last; using first", say);
	options->max_bytes = read_value(say, "TPTRACE_MAX_SIZE", 0, options_max_bytes,
					"not a size like 64M, 2G of at least 256K; the trace is "
					"not limited");
	/* "the newest" of how much: memory of the program has to be bounded */
	if (options->keep_last && !options->max_bytes)
		options->max_bytes = OPTIONS_KEEP_LAST_BYTES;
	options->collector_threads =
		(uint32_t)read_value(say, "TPTRACE_COLLECTOR_THREADS", 0, options_collector_threads,
				     "not a number of threads from 1 to 64; tptrace chooses it");
	options->clock =
		(enum clock_wish)read_value(say, "TPTRACE_CLOCK", CLOCK_WISH_NONE, read_clock,
					    "neither tsc nor monotonic; tptrace chooses the clock");
	options->toggle_signal =
		(int)read_value(say, "TPTRACE_TOGGLE_SIGNAL", 0, options_signal, bad_signal);
	options->snapshot_signal =
		(int)read_value(say, "TPTRACE_SNAPSHOT_SIGNAL", 0, options_signal, bad_signal);
}

bool options_disabled(void)
{
	const char *value = options_variable("TPTRACE_DISABLE");

	return value && is_word(value, "1");
}

bool options_quiet(void)
{
	const char *value = options_variable("TPTRACE_VERBOSE");

	return options_disabled() || (value && is_word(value, "0"));
}

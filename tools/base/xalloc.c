/* SPDX-License-Identifier: MIT */
/* xalloc.c - asks the system, and ends the command if it says no. */
#include "tools/base/xalloc.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/output.h"
#include "tools/base/progress.h"
#include "tools/base/say.h"

static const char *_Atomic reads; /* memory_for() */
static _Atomic pid_t ends;	  /* the process that does: a child has this, too */

const char *memory_for(const char *path)
{
	return atomic_exchange(&reads, path);
}

void give_up(const char *format, ...)
{
	const char *path = reads;
	struct err err;
	char text[sizeof(err.text)];
	va_list args;

	while (atomic_exchange(&ends, getpid()) == getpid())
		pause(); /* another thread has said so, and ends all of them */
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	err_set(&err, ENOMEM, "%s%s%s", path ? path : "", path ? ": " : "", text);
	output_abandon();
	progress_wipe();
	_exit(say_alone(&err));
}

void out_of_memory(void)
{
	give_up("out of memory");
}

void too_many(const char *what)
{
	give_up("too many %s", what);
}

static void *checked(void *at)
{
	return at ?: (out_of_memory(), NULL);
}

void *xmalloc(size_t bytes)
{
	return checked(malloc(bytes + !bytes));
}

void *xcalloc(size_t n, size_t entry_bytes)
{
	return checked(calloc(n + !n, entry_bytes));
}

void *xrealloc(void *at, size_t bytes)
{
	return checked(realloc(at, bytes + !bytes));
}

char *xstrdup(const char *text)
{
	return checked(strdup(text));
}

char *xstrndup(const char *text, size_t bytes)
{
	return checked(strndup(text, bytes));
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		out_of_memory();
	va_end(args);
	return text;
}

/* libc's own stream drops what it has no memory for, and says so to nobody. */
struct memory {
	char **text;
	size_t *bytes, room;
};

static ssize_t add_text(void *of, const char *from, size_t n)
{
	struct memory *memory = of;
	size_t wanted = *memory->bytes + n + 1;

	if (wanted > memory->room) {
		memory->room = wanted > 2 * memory->room ? wanted : 2 * memory->room;
		*memory->text = xrealloc(*memory->text, memory->room);
	}
	memcpy(*memory->text + *memory->bytes, from, n);
	*memory->bytes += n;
	(*memory->text)[*memory->bytes] = 0;
	return (ssize_t)n;
}

static int end_text(void *memory)
{
	free(memory);
	return 0;
}

FILE *xopen_memstream(char **text, size_t *bytes)
{
	const cookie_io_functions_t calls = { .write = add_text, .close = end_text };
	struct memory *memory = xmalloc(sizeof(*memory));

	*memory = (struct memory){ text, bytes, 0 };
	*text = xstrdup("");
	*bytes = 0;
	return checked(fopencookie(memory, "w", calls));
}

void xclose_memstream(FILE *out)
{
	if (fclose(out) != 0)
		out_of_memory();
}

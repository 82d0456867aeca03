/* SPDX-License-Identifier: MIT */
/* kind_list.c - finds the kinds of sites by a list of places, and keeps those of tasks. */
#include "preload/probes/kind_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "preload/libc.h"
#include "preload/budget.h"
#include "preload/session.h"
#include "preload/worker.h"

#define PLACES 1024u
#define MILLI 1000u
#define MILLI_MOST 1000000u

/* Where a kind's code is, or where its tasks are created. */
struct kinds_place {
	kinds_class class;
	bool is_root, is_return;
	const char *id; /* escaped */
	size_t id_bytes;
	uint64_t offset;
};

/* Of this session; written before it is on. */
static struct {
	uint32_t n, n_places;
	uint32_t milli[KINDS_MOST];
	struct kinds_place place[PLACES];
	kinds_class root;
} kinds;

/* By site, + 1; 0: nobody has looked yet. */
static _Atomic kinds_class site_class[SESSION_SITES];

/* ---- the list ---- */

static bool number_at(const char **at, unsigned base, uint64_t *value)
{
	char *end;

	if (!strchr("0123456789abcdef", **at) || !**at)
		return false;
	*value = strtoull(*at, &end, (int)base);
	*at = end;
	return true;
}

/* Up to one of these bytes, or the end. */
static size_t word_at(const char **at, const char *stop)
{
	size_t bytes = strcspn(*at, stop);

	*at += bytes;
	return bytes;
}

/* Reads "root" or "ID:f:OFFSET"; false if it is none. */
static bool place_at(const char **at, kinds_class class)
{
	struct kinds_place *place = &kinds.place[kinds.n_places];

	if (kinds.n_places == PLACES)
		return false;
	*place = (struct kinds_place){ .class = class, .id = *at };
	place->id_bytes = word_at(at, ":| ");
	if (place->id_bytes == 4 && strncmp(place->id, "root", 4) == 0 && **at != ':') {
		place->is_root = true;
		kinds.root = class;
		kinds.n_places++;
		return true;
	}
	if ((*at)[0] != ':' || !strchr("fr", (*at)[1]) || !(*at)[1] || (*at)[2] != ':')
		return false;
	place->is_return = (*at)[1] == 'r';
	*at += 3;
	if (!number_at(at, 16, &place->offset))
		return false;
	kinds.n_places++;
	return true;
}

/* Reads "KIND=MILLI@PLACE|PLACE". */
static bool kind_at(const char **at)
{
	uint64_t milli;

	word_at(at, "= ");
	if (kinds.n == KINDS_MOST || *(*at)++ != '=' || !number_at(at, 10, &milli) ||
	    milli < MILLI || milli > MILLI_MOST || **at != '@')
		return false;
	kinds.milli[kinds.n++] = (uint32_t)milli;
	do {
		++*at;
		if (!place_at(at, (kinds_class)kinds.n))
			return false;
	} while (**at == '|');
	return !**at || **at == ' ';
}

static bool read_list(const char *at)
{

	while (*at) {
		if (!kind_at(&at))
			return false;
		at += *at == ' ';
	}
	return kinds.n > 0;
}

/* ---- sites ---- */

static int hex_of(char digit)
{
	return digit <= '9' ? digit - '0' : (digit | 32) - 'a' + 10;
}

/* Whether the escaped word is that text. */
static bool is_text(const char *word, size_t bytes, const char *text)
{
	for (size_t i = 0; i < bytes; i++, text++) {
		char c = word[i];

		if (c == '%' && i + 2 < bytes) {
			c = (char)(hex_of(word[i + 1]) << 4 | hex_of(word[i + 2]));
			i += 2;
		}
		if (!*text || *text != c)
			return false;
	}
	return !*text;
}

static bool is_module(const struct session *session, const struct session_module *module,
		      const struct kinds_place *place)
{
	static const char digit[] = "0123456789abcdef";

	if (!module->build_id_bytes)
		return is_text(place->id, place->id_bytes, session_said(session, module->path));
	if (place->id_bytes != 2 * module->build_id_bytes)
		return false;
	for (uint32_t i = 0; i < module->build_id_bytes; i++)
		if (place->id[2 * i] != digit[module->build_id[i] >> 4] ||
		    place->id[2 * i + 1] != digit[module->build_id[i] & 15])
			return false;
	return true;
}

static bool is_place(const struct session *session, const struct session_site *site,
		     const struct kinds_place *place)
{
	uint64_t address = place->is_return ? site->return_address : site->function;
	uint32_t number = place->is_return ? site->return_module : site->function_module;

	if (place->is_root || !number || (place->is_return && site->function_module))
		return false;
	return address - session->module[number - 1].bias == place->offset &&
	       is_module(session, &session->module[number - 1], place);
}

static kinds_class find_class(uint32_t site)
{
	struct session *session = session_lock(); /* modules come and go */
	kinds_class class = 0;

	for (uint32_t i = 0; i < kinds.n_places && !class; i++)
		if (is_place(session, &session->site[site], &kinds.place[i]))
			class = kinds.place[i].class;
	session_unlock(session);
	atomic_store_explicit(&site_class[site], class + 1, memory_order_relaxed);
	return class;
}

/* ---- tasks by id ---- */

#define CHUNK_IDS (1u << 20)
#define CHUNKS 4096u /* of a worker; tasks beyond are of no kind */

typedef _Atomic kinds_class cell;
static cell *_Atomic *_Atomic chunk_of[WIRE_WORKERS];

/* Only the worker itself makes ids, so that nobody else makes its chunks. */
static cell *cell_of(uint64_t id, bool make)
{
	cell *_Atomic *_Atomic *own = &chunk_of[id_worker(id)];
	cell *_Atomic *chunks = atomic_load_explicit(own, memory_order_acquire);
	uint64_t n = id_n(id) & ~WORKER_TASK_BITS;
	cell *chunk;

	if (n / CHUNK_IDS >= CHUNKS)
		return NULL;
	if (!chunks && make) {
		chunks = map_zeroed(CHUNKS * sizeof(*chunks));
		atomic_store_explicit(own, chunks, memory_order_release);
	}
	if (!chunks)
		return NULL;
	chunk = atomic_load_explicit(&chunks[n / CHUNK_IDS], memory_order_acquire);
	if (!chunk && make) {
		chunk = map_zeroed(CHUNK_IDS * sizeof(*chunk));
		atomic_store_explicit(&chunks[n / CHUNK_IDS], chunk, memory_order_release);
	}
	return chunk ? &chunk[n % CHUNK_IDS] : NULL;
}

static kinds_class task_class(uint64_t id)
{
	cell *at = cell_of(id, false);

	return at ? atomic_load_explicit(at, memory_order_relaxed) : 0;
}

/* An id is given out once in a session; but a forked child has its parent's classes. */
static kinds_class set_class(uint64_t id, kinds_class class)
{
	cell *at = cell_of(id, class != 0);

	if (at && atomic_load_explicit(at, memory_order_relaxed) != class)
		atomic_store_explicit(at, class, memory_order_relaxed);
	return at ? class : 0;
}

/* ---- tasks by name ---- */

#define BUCKETS 4096u
#define NAMES_AT_ONCE 4096u

struct named {
	struct named *next;
	uint64_t name;
	_Atomic kinds_class class;
};

/* Names stay: runtimes use the same addresses again.  Readers need no lock. */
static struct {
	struct named *_Atomic bucket[BUCKETS];
	_Atomic uint32_t lock;
	struct named *room;
	uint32_t left;
} names;

static struct named *_Atomic *bucket_of(uint64_t name)
{
	return &names.bucket[name * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}

static struct named *find_name(uint64_t name)
{
	struct named *at = atomic_load_explicit(bucket_of(name), memory_order_acquire);

	while (at && at->name != name)
		at = at->next;
	return at;
}

/* With the lock. */
static void add_name(uint64_t name, kinds_class class)
{
	struct named *at;

	if (!names.left) {
		names.room = map_zeroed(NAMES_AT_ONCE * sizeof(*names.room));
		names.left = names.room ? NAMES_AT_ONCE : 0;
	}
	if (!names.left)
		return;
	at = &names.room[--names.left];
	at->name = name;
	atomic_store_explicit(&at->class, class, memory_order_relaxed);
	at->next = atomic_load_explicit(bucket_of(name), memory_order_relaxed);
	atomic_store_explicit(bucket_of(name), at, memory_order_release);
}

/* Kept only if some task of that name has one. */
static void set_name(uint64_t name, kinds_class class)
{
	struct named *at = find_name(name);

	if (!at && class) {
		libc_lock(&names.lock);
		at = find_name(name);
		if (!at)
			add_name(name, class);
		libc_unlock(&names.lock);
	}
	if (at)
		atomic_store_explicit(&at->class, class, memory_order_relaxed);
}

static kinds_class class_of_name(uint64_t name)
{
	struct named *at = find_name(name);

	return at ? atomic_load_explicit(&at->class, memory_order_relaxed) : 0;
}

/* ---- events ---- */

static kinds_class class_of_site(uint64_t b)
{
	uint32_t site = site_number(b) % SESSION_SITES;
	kinds_class found = atomic_load_explicit(&site_class[site], memory_order_relaxed);

	return found ? found - 1 : find_class(site);
}

/* CREATE and FORK give out their id once they are stored, the others before. */
kinds_class kinds_event(const struct worker *worker, enum wire_kind kind, uint64_t b)
{
	uint64_t made = worker->last_id;

	switch (kind) {
	case WIRE_CREATE:
	case WIRE_FORK:
		set_class(made + 1, class_of_site(b));
		return 0;
	case WIRE_NAME:
		set_name(b, task_class(made));
		return 0;
	case WIRE_MEMBER:
		return set_class(made, task_class(b));
	case WIRE_START:
		return set_class(made, class_of_name(b));
	case WIRE_ROOT:
		return set_class(made, kinds.root);
	case WIRE_BEGIN:
	case WIRE_RESUME:
		return task_class(b);
	default:
		return 0;
	}
}

/* ---- the session ---- */

void kinds_off(void)
{
	kinds.n = kinds.n_places = kinds.root = 0;
	memset((void *)names.bucket, 0, sizeof(names.bucket));
	memset((void *)site_class, 0, sizeof(site_class));
}

bool kinds_open(const char *list)
{
	kinds_off();
	return read_list(list);
}

uint32_t kinds_milli(kinds_class class)
{
	return kinds.milli[class - 1];
}

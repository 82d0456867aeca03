/* SPDX-License-Identifier: MIT */
/*
 * task_names.c - sites with names and values, interned.
 *
 * Off the hot path, but made for each creation by runtimes that do not keep them: a look-up is a
 * hash of the texts, and takes no lock.  The table only grows.
 */
#include "shims/task/task.h"

#include <stdio.h>
#include <string.h>

#include "preload/libc.h"

#define NAMED_MOST 4096u  /* of at most 65,535 sites that a trace has, and their callsites */
#define NAMED_TABLE 8192u /* a power of two */
#define NAMED_TEXT 262144u
#define NAME_MOST 240u /* bytes of a name with its values; the rest is cut */

/* As asked for, by what it is found; and what it comes to. */
struct named {
	_Atomic uint64_t hash; /* 0: free; set last */
	const void *base;
	const char *text, *file; /* a name or a key; NULL: there is no file */
	int64_t value;
	uint32_t line;
	bool is_value;
	const char *name;	  /* with all values */
	const struct named *root; /* that has its file and line; or this one */
	const void *address;
};

static struct named table[NAMED_TABLE];
static char texts[NAMED_TEXT];
static _Atomic uint32_t n_named;
static uint32_t n_bytes; /* with the lock */
static _Atomic uint32_t lock;

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3); /* FNV-1a */
	return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static uint64_t hash_of(const struct named *wanted)
{
	uint64_t hash = (uintptr_t)wanted->base * UINT64_C(0x9e3779b97f4a7c15);

	hash = hash_text(hash_text(hash, wanted->text), wanted->file);
	hash ^= ((uint64_t)wanted->value + wanted->line) * UINT64_C(0x9e3779b97f4a7c15);
	hash ^= hash >> 29;
	return hash ? hash : 1;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_same(const struct named *a, const struct named *b)
{
	return a->base == b->base && a->value == b->value && a->line == b->line &&
	       a->is_value == b->is_value && same_text(a->text, b->text) &&
	       same_text(a->file, b->file);
}

/* It, or the free entry where it would be. */
static struct named *entry_of(const struct named *wanted, uint64_t hash)
{
	for (uint64_t i = hash;; i++) { /* at most half of it is ever full */
		struct named *named = &table[i % NAMED_TABLE];
		uint64_t is = atomic_load_explicit(&named->hash, memory_order_acquire);

		if (!is || (is == hash && is_same(named, wanted)))
			return named;
	}
}

/* A copy; NULL: there is no room.  With the lock. */
static const char *keep(const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *kept = texts + n_bytes;

	if (bytes > NAMED_TEXT - n_bytes)
		return NULL;
	memcpy(kept, text, bytes);
	n_bytes += (uint32_t)bytes;
	return kept;
}

static const struct named *named_at(const void *site)
{
	uintptr_t at = (uintptr_t)site - (uintptr_t)table;

	return at < sizeof(table) ? &table[at / sizeof(table[0])] : NULL;
}

/* "dgemm [n=512, k=3]"; without a name "n=512". */
static void write_name(char out[NAME_MOST], const struct named *wanted, const struct named *base)
{
	int n = (int)(base ? strlen(base->name) : 0);

	if (!wanted->is_value)
		snprintf(out, NAME_MOST, "%s", wanted->text);
	else if (n && base->name[n - 1] == ']')
		snprintf(out, NAME_MOST, "%.*s, %s=%lld]", n - 1, base->name, wanted->text,
			 (long long)wanted->value);
	else if (n)
		snprintf(out, NAME_MOST, "%s [%s=%lld]", base->name, wanted->text,
			 (long long)wanted->value);
	else
		snprintf(out, NAME_MOST, "[%s=%lld]", wanted->text, (long long)wanted->value);
}

/* With the lock.  What could not be filled whole stays free. */
static bool fill(struct named *named, const struct named *wanted)
{
	const struct named *base = named_at(wanted->base);
	char name[NAME_MOST];

	write_name(name, wanted, base);
	*named = *wanted;
	named->text = keep(wanted->text);
	named->file = wanted->file ? keep(wanted->file) : NULL;
	named->name = keep(name);
	named->root = wanted->is_value && base ? base->root : named;
	named->address = base ? base->address : wanted->base;
	return named->text && named->name && (named->file || !wanted->file);
}

/* The entry, made if there is none; NULL: without room. */
static const struct named *intern(const struct named *wanted)
{
	uint64_t hash = hash_of(wanted);
	struct named *named = entry_of(wanted, hash);
	bool is_there = atomic_load_explicit(&named->hash, memory_order_acquire) != 0;

	if (is_there)
		return named;
	if (atomic_load(&n_named) >= NAMED_MOST)
		return NULL;
	libc_lock(&lock);
	named = entry_of(wanted, hash);
	is_there = atomic_load(&named->hash) != 0;
	if (!is_there && n_named < NAMED_MOST && fill(named, wanted)) {
		atomic_fetch_add(&n_named, 1);
		atomic_store_explicit(&named->hash, hash, memory_order_release);
		is_there = true;
	}
	libc_unlock(&lock);
	return is_there ? named : NULL;
}

static bool put(const void **site, const void *from, struct named wanted)
{
	const struct named *named;

	wanted.base = *site ? *site : from;
	named = intern(&wanted);
	*site = named ? named : wanted.base;
	return named != NULL;
}

bool task_name(const void **site, const void *from, const char *name, const char *file,
	       uint32_t line)
{
	return put(
		site, from,
		(struct named){ .text = name && *name ? name : "?", .file = file, .line = line });
}

bool task_value(const void **site, const void *from, const char *key, int64_t value)
{
	return put(site, from,
		   (struct named){
			   .text = key && *key ? key : "?", .value = value, .is_value = true });
}

uint32_t task_site(void *instance, uintptr_t site, uintptr_t function)
{
	const struct instance *head = instance;
	const struct named *named = named_at((const void *)site);

	if (!named)
		return record_site(head->runtime, site, function);
	return record_site_placed(head->runtime, (uintptr_t)named->address, function, named->name,
				  named->root->file, named->root->line);
}

/* SPDX-License-Identifier: MIT */
/*
 * nvtx.c - a tool of NVTX: what NVTX_INJECTION64_PATH names.
 *
 * A program that includes NVTX loads the tool at its first call, and offers tables of pointers to
 * its functions, by module; what the tool leaves alone does nothing.  The declarations here are of
 * that interface; names in wide characters are left alone.
 *
 *	range		pushed and popped: names the tasks whose code does; of main(), a region
 *	start, end	a region
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/probes/itt/annotations.h"

enum { CALLBACKS = 1 };		    /* of the tables that are exported */
enum { CORE = 1, CORE_DOMAIN = 5 }; /* modules */
enum { START_EX = 4, START = 5, END = 7, PUSH_EX = 8, PUSH = 9, POP = 11 };
enum {
	DOMAIN_START_EX = 2,
	DOMAIN_END = 3,
	DOMAIN_PUSH_EX = 4,
	DOMAIN_POP = 5,
	DOMAIN_STRING = 10,
	DOMAIN_CREATE = 12
};

struct nvtx_callbacks {
	size_t bytes;
	int (*functions)(int module, void ****table, unsigned *n);
};

enum { MESSAGE_TEXT = 1, MESSAGE_REGISTERED = 3 };
struct nvtx_attributes {
	uint16_t version, bytes;
	uint32_t category;
	int32_t colour_type;
	uint32_t colour;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const char *message; /* a text, or what a registered one was given */
};

#define CALLER ((uintptr_t)__builtin_return_address(0))

static const char *message_of(const struct nvtx_attributes *of)
{
	if (!of || of->bytes < sizeof(*of))
		return NULL;
	return of->message_type == MESSAGE_TEXT || of->message_type == MESSAGE_REGISTERED
		       ? of->message
		       : NULL;
}

/* ---- nested ranges ---- */

static int push_from(uintptr_t from, const char *name)
{
	annotation_name(from, name);
	annotation_push(from, name);
	return 0;
}

static int push(const char *name)
{
	return push_from(CALLER, name);
}

static int push_ex(const struct nvtx_attributes *of)
{
	return push_from(CALLER, message_of(of));
}

static int domain_push_ex(void *domain, const struct nvtx_attributes *of)
{
	(void)domain;
	return push_from(CALLER, message_of(of));
}

static int pop(void)
{
	annotation_pop();
	return 0;
}

static int domain_pop(void *domain)
{
	(void)domain;
	return pop();
}

/* ---- ranges by number ---- */

#define OPEN_MOST 256u /* at once; further ones are none */
static struct {
	_Atomic uint32_t taken;
	char name[ANNOTATION_TEXT];
} open_ranges[OPEN_MOST];

static uint64_t start_from(uintptr_t from, const char *name)
{
	for (uint32_t i = 0; name && i < OPEN_MOST; i++) {
		if (atomic_exchange(&open_ranges[i].taken, 1))
			continue;
		strncpy(open_ranges[i].name, name, ANNOTATION_TEXT - 1);
		if (annotation_begin(from, open_ranges[i].name))
			return i + 1;
		atomic_store(&open_ranges[i].taken, 0);
		return 0;
	}
	return 0;
}

static uint64_t start(const char *name)
{
	return start_from(CALLER, name);
}

static uint64_t start_ex(const struct nvtx_attributes *of)
{
	return start_from(CALLER, message_of(of));
}

static uint64_t domain_start_ex(void *domain, const struct nvtx_attributes *of)
{
	(void)domain;
	return start_from(CALLER, message_of(of));
}

static void end(uint64_t range)
{
	if (range == 0 || range > OPEN_MOST || !atomic_load(&open_ranges[range - 1].taken))
		return;
	annotation_end(open_ranges[range - 1].name);
	atomic_store(&open_ranges[range - 1].taken, 0);
}

static void domain_end(void *domain, uint64_t range)
{
	(void)domain;
	end(range);
}

/* ---- domains and registered texts ---- */

#define TEXTS_MOST 1024u
static char texts[TEXTS_MOST][ANNOTATION_TEXT];
static _Atomic uint32_t n_texts;

/* What stands for a text is a copy of it. */
static void *domain_string(void *domain, const char *text)
{
	uint32_t number = text ? atomic_fetch_add(&n_texts, 1) : TEXTS_MOST;

	(void)domain;
	if (number >= TEXTS_MOST)
		return NULL;
	strncpy(texts[number], text, ANNOTATION_TEXT - 1);
	return texts[number];
}

static void *domain_create(const char *name)
{
	static char any; /* all domains are one */

	(void)name;
	return &any;
}

/* ---- the interface ---- */

static const struct {
	int module;
	unsigned number;
	void *function;
} ours[] = {
	{ CORE, START_EX, (void *)start_ex },
	{ CORE, START, (void *)start },
	{ CORE, END, (void *)end },
	{ CORE, PUSH_EX, (void *)push_ex },
	{ CORE, PUSH, (void *)push },
	{ CORE, POP, (void *)pop },
	{ CORE_DOMAIN, DOMAIN_START_EX, (void *)domain_start_ex },
	{ CORE_DOMAIN, DOMAIN_END, (void *)domain_end },
	{ CORE_DOMAIN, DOMAIN_PUSH_EX, (void *)domain_push_ex },
	{ CORE_DOMAIN, DOMAIN_POP, (void *)domain_pop },
	{ CORE_DOMAIN, DOMAIN_STRING, (void *)domain_string },
	{ CORE_DOMAIN, DOMAIN_CREATE, (void *)domain_create },
};

int InitializeInjectionNvtx2(const void *(*exported)(uint32_t table));

/* 1: it is in use. */
__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*exported)(uint32_t table))
{
	const struct nvtx_callbacks *callbacks = exported(CALLBACKS);

	if (!callbacks || callbacks->bytes < sizeof(*callbacks) || !callbacks->functions)
		return 0;
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		void ***table;
		unsigned n = 0;

		if (callbacks->functions(ours[i].module, &table, &n) && ours[i].number < n &&
		    table[ours[i].number])
			*table[ours[i].number] = ours[i].function;
	}
	return 1;
}

/* SPDX-License-Identifier: MIT */
/* kinds.c - prints kinds.js of the page: what trace and DAG call by number. */
#include <stdio.h>
#include "collector/trace/events.h"
#include "collector/trace/words.h"
#include "tools/analysis/states.h"
#include "tools/dag/dag.h"

#define ENUM_EVENT(number, name, ...) printf("    " #name ": %d,\n", number);
#define ENUM_ENDED(number, name, word, strand, ...)                                                \
	if (EVENT_##strand == EVENT_ENDS)                                                          \
		printf("    %d: \"%s\",\n", number, word);
#define ENUM_WAIT(number, name, word, ...) [number] = word,

static void print_list(const char *name, const char *const *word, unsigned n)
{
	printf("export const %s = [\n", name);
	for (unsigned i = 0; i < n; i++)
		printf("    \"%s\",\n", word[i] ? word[i] : "");
	printf("];\n");
}

/* The index of each word, in capitals. */
static void print_enum(const char *name, const char *const *word, unsigned n)
{
	printf("export const %s = {\n", name);
	for (unsigned i = 0; i < n; i++) {
		printf("    ");
		for (const char *c = word[i]; *c; c++)
			putchar(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
		printf(": %u,\n", i);
	}
	printf("};\n");
}

static void print_waiting(void)
{
	puts("// states in which a task waits and keeps its worker\nexport const WAITING = [");
	for (unsigned i = 0; i < STATES; i++)
		if (state_waits((enum state)i))
			printf("    %u,\n", i);
	puts("];");
}

int main(void)
{
	static const char *const wait[] = { WIRE_WAIT_LIST(ENUM_WAIT) };

	puts("// SPDX-License-Identifier: MIT");
	puts("// kinds.js - numbers and words of trace and DAG, as `make bless-kinds` writes "
	     "them.");
	printf("export const NONE = %#x;\n", STRAND_NONE);
	puts("// flags of a strand, behind the event that ended it");
	printf("export const ENDED_BY = %u;\n", STRAND_ENDED_BY);
	printf("export const FIRST = %u;\n", STRAND_FIRST);
	printf("export const JOINS = %u;\n", STRAND_JOINS);
	printf("export const EXTRA = %u;\n", STRAND_EXTRA);
	printf("export const COLLAPSED = %u;\n", STRAND_COLLAPSED);
	puts("export const EVENT = {");
	EVENTS_TIMED(ENUM_EVENT)
	puts("};\nexport const ENDED = {\n    0: \"\",");
	EVENTS_TIMED(ENUM_ENDED)
	puts("};");
	print_list("EDGES", edge_kind_name, EDGE_KINDS);
	print_enum("EDGE", edge_kind_name, EDGE_KINDS);
	print_list("STATES", state_name, STATES);
	print_enum("STATE", state_name, STATES);
	print_waiting();
	print_list("CALLS", call_name, CALLS);
	print_list("WAITS", wait, sizeof(wait) / sizeof(*wait));
	return 0;
}

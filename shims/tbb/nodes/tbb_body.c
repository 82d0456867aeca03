/* SPDX-License-Identifier: MIT */
/* tbb_body.c - the way from a task to the function object that it runs. */
#include "shims/tbb/nodes/tbb_body.h"

#include "preload/libc.h"

#include "preload/poison.h"

#define TASK_FIRST 8u /* the words of a task's class behind those of its base: .. */
#define TASK_END 16u  /* .. it is aligned to 64 bytes, so there are at least eight */
#define NODE_END 64u

#define FILTER_CALL 0u /* base_filter declares its operator() before its destructor */
#define LEAF_CALL 2u   /* the bodies of nodes do after theirs, which has two words */
#define LONGEST_CALL 2

static bool starts(const char *name, const struct segment *segment, const char *prefix)
{
	for (; *prefix; prefix++, name++)
		if (!segment_has(segment, (uintptr_t)name) || *name != *prefix)
			return false;
	return true;
}

static bool can_read(uintptr_t address)
{
	return libc_can_read((const void *)(address & ~7ul)); /* NOLINT: an address */
}

static bool in_module(uintptr_t address, size_t bytes)
{
	struct segment segment = segment_of(address);

	return segment_has(&segment, address) && segment_has(&segment, address + bytes - 1) &&
	       can_read(address) && can_read(address + bytes - 1);
}

/*
 * If this is the address of a vtable, and it says of which type, the name of the type, and in
 * *segment where that is; else NULL.
 */
static const char *type_at(uintptr_t vtable, struct segment *segment)
{
	const uintptr_t *word = (const uintptr_t *)vtable; /* NOLINT: an address */
	const char *name;

	if (vtable % sizeof(*word) ||
	    !in_module(vtable - sizeof(*word), (2 + LONGEST_CALL) * sizeof(*word)))
		return NULL;
	word = (const uintptr_t *)word[TBB_VTABLE_TYPE]; /* NOLINT: an address */
	if (!word || (uintptr_t)word % sizeof(*word) ||
	    !in_module((uintptr_t)word, 2 * sizeof(*word)))
		return NULL;
	name = (const char *)word[1]; /* NOLINT: an address */
	*segment = segment_of((uintptr_t)name);
	return name && in_module((uintptr_t)name, 1) ? body_name_plain(name) : NULL;
}

/* Where the pointer leads there may be nothing, or no object with virtual functions. */
static const char *type_of_object(uintptr_t object, struct segment *segment)
{
	if (!object || object % sizeof(object) || !can_read(object))
		return NULL;
	return type_at(*(const uintptr_t *)object, segment); /* NOLINT: an address */
}

/* Whether it is a type of tbb::detail::d1 or a later one of the headers' namespaces. */
static bool is_of_headers(const char *name, const struct segment *segment, const char *type)
{
	static const char space[] = "N3tbb6detail2d";
	const size_t digit = sizeof(space) - 1;

	return name && starts(name, segment, space) &&
	       segment_has(segment, (uintptr_t)name + digit) && name[digit] >= '1' &&
	       name[digit] <= '9' && starts(name + digit + 1, segment, type);
}

static bool is_one_of(const char *name, const struct segment *segment, const char *const *types)
{
	for (; *types; types++)
		if (is_of_headers(name, segment, *types))
			return true;
	return false;
}

static const char *const filters[] = { "15concrete_filterI", NULL };
static const char *const leaves[] = { "18function_body_leafI", "23multifunction_body_leafI",
				      "15input_body_leafI", NULL };
/*
 * forward_task_bypass<function_input_base<..>> and others: of a join, a limiter, or any kind of
 * buffer.  Only the former has a body, at one place: a sequencer_node's class is that of a
 * buffer_node, which ends before the function that the sequencer has.
 */
static const char *const node_tasks[] = { "22apply_body_task_bypassI", "22input_node_task_bypassI",
					  "19forward_task_bypassI", NULL };
static const char *const body_tasks[] = { "22apply_body_task_bypassI", "22input_node_task_bypassI",
					  "19forward_task_bypassINS1_19function_input_baseI",
					  NULL };

static body_path path_make(uint32_t task_word, uint32_t node_word, uint32_t callsite)
{
	return task_word | node_word << 8 | (BODY_MARK | callsite << 1) << 16;
}

static body_path filter_find(const uintptr_t *task)
{
	struct segment segment;

	for (uint32_t i = TASK_FIRST; i < TASK_END; i++)
		if (is_one_of(type_of_object(task[i], &segment), &segment, filters))
			return path_make(i, 0, FILTER_CALL);
	return 0;
}

/* Whether the next word, too, points to an object of the class of this one's. */
static bool is_twin(const uintptr_t *word)
{
	const uintptr_t *const *object = (const uintptr_t *const *)word;

	return can_read((uintptr_t)&word[1]) && word[1] != word[0] &&
	       word[1] % sizeof(*word) == 0 && can_read(word[1]) && *object[0] == *object[1];
}

/*
 * The word of the node that points to its body, which comes after that for its graph; else 0.  Next
 * to it is another one, to the body that the node was made with: what lies in a gap between
 * members may point to a body that once was.
 */
static uint32_t leaf_find(const uintptr_t *node, uintptr_t graph)
{
	struct segment segment;
	bool is_behind = false;

	for (uint32_t i = 1; i < NODE_END && can_read((uintptr_t)&node[i]); i++) {
		is_behind |= node[i] == graph;
		if (is_behind && is_one_of(type_of_object(node[i], &segment), &segment, leaves) &&
		    is_twin(&node[i]))
			return i;
	}
	return 0;
}

/* The type's base, if it has one; 0. */
static uintptr_t base_of(uintptr_t type)
{
	static const char single[] = "N10__cxxabiv120__si_class_type_infoE";
	const uintptr_t *word = body_word_at(type);
	struct segment segment;
	const char *name = type_of_object(type, &segment);

	return name && starts(name, &segment, single) && can_read((uintptr_t)&word[2]) ? word[2]
										       : 0;
}

/* The name of the vtable's type, or of its first base that oneTBB's headers have; NULL. */
static const char *header_type_at(uintptr_t vtable, struct segment *segment)
{
	const char *name = type_at(vtable, segment);
	uintptr_t type = name ? body_word_at(vtable)[TBB_VTABLE_TYPE] : 0;

	while (name && !is_of_headers(name, segment, "")) {
		type = base_of(type);
		name = type && in_module(type, 2 * sizeof(type))
			       ? body_name_plain((const char *)body_word_at(type)[1]) /* NOLINT */
			       : NULL;
		*segment = segment_of((uintptr_t)name);
	}
	return name;
}

bool body_has_type(uintptr_t object)
{
	struct segment segment;

	return type_of_object(object, &segment) != NULL;
}

bool body_is_type(uintptr_t vtable, const char *type)
{
	struct segment segment;

	return is_of_headers(header_type_at(vtable, &segment), &segment, type);
}

bool body_type_has(uintptr_t vtable, const char *word)
{
	struct segment segment;
	const char *name = header_type_at(vtable, &segment);

	for (; name && segment_has(&segment, (uintptr_t)name) && *name; name++)
		if (starts(name, &segment, word))
			return true;
	return false;
}

bool body_is_cache(uintptr_t vtable)
{
	static const char *const caches[] = { "15broadcast_cacheI", "17round_robin_cacheI", NULL };
	struct segment segment;

	return is_one_of(type_at(vtable, &segment), &segment, caches);
}

/* All nodes' names end so, before their arguments: N3tbb6detail2d113function_nodeI. */
bool body_is_node(uintptr_t object)
{
	static const char tail[] = "_nodeI";
	const size_t digits = sizeof("N3tbb6detail2d1") - 1;
	struct segment segment;
	const char *name;
	size_t n = 0;

	if (!body_has_type(object))
		return false;
	name = header_type_at(body_word_at(object)[0], &segment);
	if (!name)
		return false;
	for (name += digits; segment_has(&segment, (uintptr_t)name) && *name >= '0' && *name <= '9';
	     name++)
		n = 10 * n + (size_t)(*name - '0');
	return n >= sizeof(tail) - 2 && segment_has(&segment, (uintptr_t)name + n) &&
	       starts(name + n - (sizeof(tail) - 2), &segment, tail);
}

/* The word of the task that leads to a node of its graph; 0: none does. */
static uint32_t node_word(const uintptr_t *task)
{
	for (uint32_t i = BODY_TASK_GRAPH + 1; i < TASK_END; i++)
		if (body_is_node(task[i]) &&
		    body_word_at(body_top_of(task[i]))[BODY_NODE_GRAPH] == task[BODY_TASK_GRAPH])
			return i;
	return 0;
}

static body_path node_find(const uintptr_t *task, bool has_body)
{
	uint32_t word = node_word(task);
	uint32_t leaf = word && has_body
				? leaf_find((const uintptr_t *)task[word], /* NOLINT: an address */
					    task[BODY_TASK_GRAPH])
				: 0;

	return word << 24 | (leaf ? path_make(word, leaf, LEAF_CALL) : 0);
}

body_path body_find(const struct tbb_task *task, const uintptr_t *vtable)
{
	struct segment segment;
	const char *type = type_at((uintptr_t)vtable, &segment);
	const uintptr_t *word = (const uintptr_t *)task;

	if (can_read(sizeof(uintptr_t))) /* no kernel that says what can be read */
		return 0;
	if (type && starts(type, &segment, "N3tbb6detail2r110stage_taskE"))
		return filter_find(word);
	if (is_one_of(type, &segment, node_tasks))
		return node_find(word, is_one_of(type, &segment, body_tasks));
	return 0;
}

const char *body_type_name(uintptr_t body)
{
	const char *const *known = BODY_CALL(body) == FILTER_CALL ? filters : leaves;
	struct segment segment;
	const char *type = type_at(body & ~(uintptr_t)BODY_BITS, &segment);

	return is_one_of(type, &segment, known) ? type : NULL;
}

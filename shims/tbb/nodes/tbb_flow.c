/* SPDX-License-Identifier: MIT */
/* tbb_flow.c - receivers of flow graphs, and what became of the messages that they got. */
#include "shims/tbb/nodes/tbb_flow.h"

#include "preload/budget.h"
#include "preload/libc.h"

#include "preload/poison.h"

#define WORDS_BEFORE 16 /* of a vtable that are copied: as tbb_vtable.h */
#define WORDS 64
#define PUT 2		  /* try_put_task(): behind the two destructors */
#define RECEIVER_WORDS 8  /* of all receivers' vtables, 2021.1 .. 2023 */
#define CLASSES 512u	  /* of receivers, and of nodes: templates' instances */
#define POINTS (1u << 18) /* receivers and nodes: 18 MiB, if all are in use */
#define PROBES 32u
#define CACHES 10	     /* a multifunction_node has one for each port: at most 10 in C++11 */
#define NODE_WORDS 128u	     /* where they are looked for */
#define LIST 2		     /* words of a cache: vtable, mutex, list, owner */
#define GRAPH_WORDS 8u	     /* where a graph has its context */
#define COUNT_GRAPH 4u	     /* words: of a continue_receiver with a body, .. */
#define QUEUE_GRAPH 1u	     /* .. and of a function_input_base */
#define QUEUE_CONCURRENCY 2u /* 0: unlimited */

/* When a receiver's task may run. */
enum flow_rule {
	FLOW_PASSES, /* it has none, or it is the putter's, or we cannot tell */
	FLOW_COUNTS, /* after one message of each predecessor */
	FLOW_QUEUES, /* after each message, in their order */
	FLOW_JOINS,  /* after one message of each port of the node, in their order */
	FLOW_KEEPS,  /* after some of its messages: which, is the program's to know */
};

/* continue_receiver */
struct counter {
	const uintptr_t *vtable;
	char mutex;
	int n_predecessors, n_messages, n_initial;
};

/* Our copy of a receiver's vtable. */
struct class
{
	const uintptr_t *original;
	flow_put_fn put;
	enum flow_rule rule;
	ptrdiff_t top;	/* from the receiver to its node; 0: it is a port, .. */
	uint32_t owner; /* .. whose word leads to a part of the node; 0: unknown */
	bool runs;	/* it runs the node's code itself, with the policy lightweight */
	uintptr_t before[WORDS_BEFORE];
	uintptr_t word[WORDS];
};

/* Where nodes of a class have their successors. */
struct node_class {
	const uintptr_t *original;
	uint32_t n_caches;
	uint16_t cache[CACHES]; /* words */
};

/* A receiver, or a node as a whole. */
struct flow_point {
	_Atomic uintptr_t address; /* 0: free; set last */
	uint32_t node;		   /* the point of a receiver's node, + 1 */
	uint32_t ports, next;	   /* a node's receivers, + 1: the first; the next */
	uint16_t class;		   /* a node's, + 1 */
	uint8_t rule;
	bool runs;	   /* class->runs */
	_Atomic bool asks; /* it refused a message */
	_Atomic uint64_t n_put, n_taken;
	_Atomic uint64_t seen; /* of a node's successors; 0: nothing */
};

static struct class classes[CLASSES];
static struct node_class node_classes[CLASSES];
static uint32_t n_classes, n_node_classes;
static struct flow_point *_Atomic points;
static _Atomic uint32_t lock; /* for all that is added */
static flow_put_fn _Atomic our_put;
static _Atomic uint32_t context_word;

void flow_wrap(flow_put_fn put)
{
	atomic_store_explicit(&our_put, put, memory_order_relaxed);
}

void flow_forget(void)
{
	atomic_store(&lock, 0);
}

static bool is_copy(const uintptr_t *vtable)
{
	return (uintptr_t)vtable - (uintptr_t)classes < sizeof(classes);
}

static const struct class *class_of(const struct flow_receiver *receiver)
{
	return (const struct class *)((const char *)receiver->vtable -
				      offsetof(struct class, word));
}

flow_put_fn flow_put_real(const struct flow_receiver *receiver)
{
	return class_of(receiver)->put;
}

/* ---- points ---- */

/* The address's place; NULL if it has none.  `make`: with the lock held. */
static struct flow_point *point_of(uintptr_t address, bool make)
{
	struct flow_point *all = atomic_load_explicit(&points, memory_order_acquire);
	uint64_t hash = (uint64_t)(address >> 3) * 0x9e3779b97f4a7c15u >> 40;

	for (uint32_t i = 0; all && i < PROBES; i++) {
		struct flow_point *point = &all[(hash + i) % POINTS];
		uintptr_t at = atomic_load_explicit(&point->address, memory_order_acquire);

		if (at == address)
			return point;
		if (!at && make)
			atomic_store_explicit(&point->address, address, memory_order_release);
		if (!at)
			return make ? point : NULL;
	}
	return NULL;
}

static void points_map(void)
{
	if (!points)
		atomic_store_explicit(&points, map_zeroed(POINTS * sizeof(*points)),
				      memory_order_release);
}

static uint32_t point_number(const struct flow_point *point)
{
	return (uint32_t)(point - points) + 1;
}

static struct flow_point *point_at(uint32_t number)
{
	return number ? &points[number - 1] : NULL;
}

/* No address of user space, and no other name of this shim, has this bit. */
#define NAME_MARK (UINT64_C(1) << 59)
#define NAME_POINT_AT 40

uint64_t flow_name(const struct flow_message *message)
{
	uint64_t number = message->number & ((UINT64_C(1) << NAME_POINT_AT) - 1);

	return NAME_MARK | (uint64_t)point_number(message->point) << NAME_POINT_AT | number;
}

/* ---- nodes ---- */

/* Whose successors are in the cache at this word: the node's, or those of a port, which is an
 * object of its own and begins the word before; 0: neither. */
static uintptr_t cache_owner(const uintptr_t *word, uintptr_t node)
{
	for (int i = LIST + 2; i <= LIST + 3; i++) { /* lists have two words, or three */
		uintptr_t owner = word[i];

		if (owner < node || owner >= (uintptr_t)word || !body_has_type(owner))
			continue;
		if (body_top_of(owner) == node ||
		    (owner == (uintptr_t)(word - 1) && body_top_of(owner) == owner))
			return body_top_of(owner);
	}
	return 0;
}

/* Whether another node begins at this word. */
static bool is_next(const uintptr_t *word)
{
	return body_is_node((uintptr_t)word) && body_top_of((uintptr_t)word) == (uintptr_t)word;
}

/* The number of the node's class, from 1; 0: it is no node, or there is no room.  With the lock
 * held.
 */
static uint16_t node_class_of(uintptr_t node)
{
	const uintptr_t *word = body_word_at(node);
	struct node_class *class = &node_classes[n_node_classes];

	for (uint32_t i = n_node_classes; i > 0; i--)
		if (node_classes[i - 1].original == body_word_at(word[0]))
			return (uint16_t)i;
	if (n_node_classes == CLASSES || !body_is_node(node))
		return 0;
	*class = (struct node_class){ .original = body_word_at(word[0]) };
	for (uint16_t i = 1; i < NODE_WORDS && class->n_caches < CACHES; i++) {
		if (!libc_can_read(&word[i]) || !libc_can_read(&word[i + LIST + 3]) ||
		    is_next(&word[i]))
			break;
		if (body_is_cache(word[i]) && cache_owner(&word[i], node))
			class->cache[class->n_caches++] = i;
	}
	return (uint16_t)++n_node_classes;
}

/* The node's point; NULL if it is none, or there is no room.  With the lock held. */
static struct flow_point *node_add(uintptr_t node)
{
	uint16_t class = node_class_of(node);
	struct flow_point *point = class ? point_of(node, true) : NULL;

	if (!point)
		return NULL;
	point->class = class;
	atomic_store_explicit(&point->seen, 0, memory_order_relaxed);
	return point;
}

/* ---- receivers ---- */

static enum flow_rule rule_of(uintptr_t vtable, bool is_port)
{
	static const struct {
		const char *type;
		bool is_port;
		enum flow_rule rule;
	} rules[] = {
		{ "13continue_nodeI", false, FLOW_COUNTS },
		{ "13function_nodeI", false, FLOW_QUEUES },
		{ "18multifunction_nodeI", false, FLOW_QUEUES },
		{ "10async_nodeI", false, FLOW_QUEUES },
		{ "13queueing_portI", true, FLOW_JOINS },
		{ "17key_matching_portI", true, FLOW_KEEPS },
		{ "11buffer_nodeI", false, FLOW_KEEPS },
		{ "10queue_nodeI", false, FLOW_KEEPS },
		{ "14sequencer_nodeI", false, FLOW_KEEPS },
		{ "19priority_queue_nodeI", false, FLOW_KEEPS },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].is_port == is_port && body_is_type(vtable, rules[i].type))
			return rules[i].rule;
	return FLOW_PASSES;
}

/* The word of a port that leads to its node; 0: none is seen. */
static uint32_t owner_find(uintptr_t port)
{
	const uintptr_t *word = body_word_at(port);

	for (uint32_t i = 1; i < NODE_WORDS && libc_can_read(&word[i]); i++)
		if (body_has_type(word[i]) && body_is_node(body_top_of(word[i])))
			return i;
	return 0;
}

static void class_copy(struct class *class, const uintptr_t *original)
{
	struct segment segment = segment_of((uintptr_t)original);

	for (int n = -WORDS_BEFORE; n < WORDS; n++) {
		uintptr_t *to = n < 0 ? &class->before[WORDS_BEFORE + n] : &class->word[n];
		uintptr_t from = (uintptr_t)(original + n);

		if ((n >= TBB_VTABLE_TOP && n < RECEIVER_WORDS) ||
		    (from >= segment.start && from + sizeof(*to) <= segment.end))
			*to = original[n];
	}
	class->original = original;
	class->put = (flow_put_fn)original[PUT];
	class->word[PUT] = (uintptr_t)atomic_load_explicit(&our_put, memory_order_relaxed);
}

/* The copy for this receiver; NULL: it is none, at whatever is no object.  With the lock held. */
static struct class *class_get(uintptr_t receiver)
{
	const uintptr_t *original = body_word_at(*body_word_at(receiver));
	struct class *class = &classes[n_classes];

	for (uint32_t i = n_classes; i > 0; i--)
		if (classes[i - 1].original == original && libc_can_read(&original[PUT]) &&
		    (uintptr_t)classes[i - 1].put == original[PUT])
			return &classes[i - 1];
	if (n_classes == CLASSES || !body_has_type(receiver) ||
	    !body_is_type((uintptr_t)original, ""))
		return NULL;
	class_copy(class, original);
	class->top = (ptrdiff_t)original[TBB_VTABLE_TOP];
	class->owner = class->top ? 0 : owner_find(receiver);
	class->rule = rule_of((uintptr_t)original, class->top == 0);
	class->runs = body_type_has((uintptr_t)original, "lightweight");
	n_classes++;
	return class;
}

/* Whether the objects lie as the rule has it. */
static bool fits(enum flow_rule rule, uintptr_t receiver, uintptr_t node)
{
	const struct counter *counter = (const struct counter *)receiver; /* NOLINT */
	uintptr_t graph = node ? body_word_at(node)[BODY_NODE_GRAPH] : 0;

	switch (rule) {
	case FLOW_COUNTS:
		return graph && body_word_at(receiver)[COUNT_GRAPH] == graph &&
		       counter->n_messages >= 0 && counter->n_predecessors >= counter->n_initial;
	case FLOW_QUEUES:
		return graph && body_word_at(receiver)[QUEUE_GRAPH] == graph;
	default:
		return graph != 0;
	}
}

/* From the node that was there before, or none, to this one, or none.  With the lock held. */
static void port_move(struct flow_point *port, struct flow_point *node)
{
	struct flow_point *before = point_at(port->node);
	uint32_t *at = before ? &before->ports : NULL;

	while (at && *at && *at != point_number(port))
		at = &point_at(*at)->next;
	if (at && *at)
		*at = port->next;
	port->node = node ? point_number(node) : 0;
	port->next = node ? node->ports : 0;
	if (node)
		node->ports = point_number(port);
}

/* A node that was made where another one was begins anew.  With the lock held. */
static bool receiver_add(const struct class *class, uintptr_t receiver)
{
	struct flow_point *point = point_of(receiver, true), *node = NULL;
	uintptr_t top = 0;

	if (!point)
		return false;
	if (class->top)
		top = receiver + (uintptr_t) class->top;
	else if (class->owner)
		top = body_top_of(body_word_at(receiver)[class->owner]);
	if (top)
		node = node_add(top);
	point->rule = node && fits(class->rule, receiver, top) ? class->rule : FLOW_PASSES;
	point->runs = class->runs;
	if (!node || point->node != point_number(node))
		port_move(point, node);
	atomic_store(&point->asks, false);
	atomic_store(&point->n_taken, atomic_load(&point->n_put));
	return true;
}

/* The receiver's next message comes to us, if it is one that is known.  With the lock held. */
static void receiver_adopt(uintptr_t at)
{
	struct flow_receiver *receiver = (struct flow_receiver *)at; /* NOLINT: an address */
	uintptr_t seen;
	const struct class *class;

	if (!at || at % sizeof(at) || !libc_can_read(receiver) || is_copy(receiver->vtable))
		return;
	seen = (uintptr_t)receiver->vtable;
	class = class_get(at);
	if (class && receiver_add(class, at))
		__atomic_compare_exchange_n(body_word_at(at), &seen, (uintptr_t) class->word, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* ---- successors ---- */

/* A list that changes while we read it leads astray, but to no receiver: each step is looked at. */
static void successors_adopt(const uintptr_t *list)
{
	const uintptr_t *at = body_word_at(list[0]);

	/* The third word is the list's size, or the cache's owner. */
	for (uint64_t n = list[2] < POINTS ? list[2] : POINTS; n > 0 && at != list; n--) {
		if ((uintptr_t)at % sizeof(*at) || !libc_can_read(at) || !libc_can_read(&at[LIST]))
			return;
		receiver_adopt(at[LIST]);
		at = body_word_at(at[0]);
	}
}

/* What changes with the successors; never 0. */
static uint64_t successors_print(const struct node_class *class, const uintptr_t *word)
{
	uint64_t print = 1;

	for (uint32_t i = 0; i < class->n_caches; i++)
		for (uint32_t n = 0; n <= LIST; n++)
			print = (print ^ word[class->cache[i] + LIST + n]) * 0x9e3779b97f4a7c15u;
	return print | 1;
}

/* Hot path: before the node puts to its successors. */
static void node_prepare(struct flow_point *point)
{
	const struct node_class *class;
	const uintptr_t *word;
	uint64_t print;

	if (!point || !point->class)
		return;
	class = &node_classes[point->class - 1];
	word = body_word_at(point->address);
	print = successors_print(class, word);
	if (print == atomic_load_explicit(&point->seen, memory_order_acquire))
		return;
	libc_lock(&lock);
	for (uint32_t i = 0; i < class->n_caches; i++)
		successors_adopt(&word[class->cache[i] + LIST]);
	atomic_store_explicit(&point->seen, print, memory_order_release);
	libc_unlock(&lock);
}

/* ---- graphs ---- */

void flow_learn(const struct tbb_task *task, const void *context)
{
	const uintptr_t *graph = body_word_at(((const uintptr_t *)task)[BODY_TASK_GRAPH]);

	if (atomic_load_explicit(&context_word, memory_order_relaxed))
		return;
	for (uint32_t i = 1; i < GRAPH_WORDS; i++)
		if (graph[i] == (uintptr_t)context)
			atomic_store_explicit(&context_word, i, memory_order_relaxed);
}

const void *flow_context(const struct tbb_task *task)
{
	const uintptr_t *graph = body_word_at(((const uintptr_t *)task)[BODY_TASK_GRAPH]);
	uint32_t word = atomic_load_explicit(&context_word, memory_order_relaxed);

	return word ? (const void *)graph[word] : NULL; /* NOLINT: an address */
}

/* ---- messages ---- */

static uint64_t n_predecessors(const struct flow_point *point)
{
	const struct counter *counter = (const struct counter *)point->address; /* NOLINT */
	int n = __atomic_load_n(&counter->n_predecessors, __ATOMIC_RELAXED);

	return n > 0 ? (uint64_t)n : 0;
}

/* Whether a message may wait for others there: else its task is created by who puts it. */
static bool may_wait(const struct flow_point *point)
{
	if (atomic_load_explicit(&point->asks, memory_order_relaxed))
		return false;
	switch (point->rule) {
	case FLOW_COUNTS:
		return n_predecessors(point) > 1;
	case FLOW_QUEUES:
		return body_word_at(point->address)[QUEUE_CONCURRENCY] != 0;
	default:
		return point->rule == FLOW_JOINS;
	}
}

struct flow_message flow_put_begin(const struct flow_receiver *receiver)
{
	struct flow_point *point = point_of((uintptr_t)receiver, false);

	if (!point || point->runs || !may_wait(point))
		return (struct flow_message){ NULL, 0 };
	return (struct flow_message){ point, atomic_fetch_add(&point->n_put, 1) };
}

void flow_put_prepare(const struct flow_receiver *receiver)
{
	struct flow_point *point = point_of((uintptr_t)receiver, false);

	if (point)
		node_prepare(point_at(point->node));
}

/* A receiver that took none is asked again, by whoever keeps the message. */
bool flow_put_unlinked(const struct flow_receiver *receiver, const struct tbb_task *next)
{
	const struct flow_point *point = point_of((uintptr_t)receiver, false);

	if (!point || !next)
		return point != NULL;
	return (point->rule == FLOW_KEEPS && (uintptr_t)next == FLOW_TAKEN) ||
	       (point->runs && may_wait(point));
}

void flow_put_refused(const struct flow_message *message)
{
	atomic_store_explicit(&message->point->asks, true, memory_order_relaxed);
}

static void depend_on(struct worker *worker, struct flow_point *point, uint64_t number)
{
	struct flow_message message = { point, number };

	record_detail(worker, WIRE_DEPEND, depend_make(flow_name(&message), WIRE_DEPEND_ON));
}

static bool is_message(const struct flow_message *message, const struct flow_point *point,
		       uint64_t number)
{
	return message->point == point && message->number == number;
}

/* Takes the oldest message. */
static void take_one(struct worker *worker, struct flow_point *point,
		     const struct flow_message *own)
{
	uint64_t number = atomic_load(&point->n_taken);

	do {
		if (number >= atomic_load(&point->n_put) || atomic_load(&point->asks))
			return;
	} while (!atomic_compare_exchange_weak(&point->n_taken, &number, number + 1));
	if (!is_message(own, point, number))
		depend_on(worker, point, number);
}

/*
 * Takes one message of each predecessor.  Those of the next round may be there already; and those
 * of a round that was cancelled still.
 */
static void take_all(struct worker *worker, struct flow_point *point,
		     const struct flow_message *own)
{
	uint64_t from = atomic_load(&point->n_taken), end = atomic_load(&point->n_put);
	uint64_t n = n_predecessors(point);
	uint64_t last = own->point == point ? own->number : end - 1;

	if (end == from)
		return;
	if (last >= from + n)
		from = last + 1 - n;
	if (end > from + n)
		end = from + n;
	for (uint64_t i = from; i < end; i++)
		if (!is_message(own, point, i))
			depend_on(worker, point, i);
	atomic_store(&point->n_taken, end);
}

void flow_created(struct worker *worker, uintptr_t at, const struct flow_message *own)
{
	struct flow_message none = { NULL, 0 };
	uintptr_t top = body_top_of(at);
	struct flow_point *node, *point;

	if (at != top && !is_copy(body_word_at(*body_word_at(at)))) {
		libc_lock(&lock);
		points_map();
		receiver_adopt(at);
		libc_unlock(&lock);
	}
	node = point_of(top, false);
	if (!node) {
		libc_lock(&lock);
		points_map();
		node = node_add(top);
		libc_unlock(&lock);
	}
	node_prepare(node);
	point = at != top ? point_of(at, false) : NULL;
	own = own ? own : &none;
	if (point && point->rule == FLOW_COUNTS)
		take_all(worker, point, own);
	else if (point && point->rule == FLOW_QUEUES)
		take_one(worker, point, own);
	for (uint32_t i = at == top && node ? node->ports : 0; i; i = point_at(i)->next)
		if (point_at(i)->rule == FLOW_JOINS)
			take_one(worker, point_at(i), own);
}

/* SPDX-License-Identifier: MIT */
/* tbb_flow.c - receivers of flow graphs, and what became of the messages that they got. */
#include "shims/tbb/nodes/tbb_keep.h"

#include "preload/libc.h"

#include "preload/poison.h"

#define CLASSES 512u	     /* of nodes: templates' instances */
#define CACHES 10	     /* a multifunction_node has one for each port: at most 10 in C++11 */
#define LIST 2		     /* words of a cache: vtable, mutex, list, owner */
#define GRAPH_WORDS 8u	     /* where a graph has its context */
#define COUNT_GRAPH 4u	     /* words: of a continue_receiver with a body; .. */
#define QUEUE_GRAPH 1u	     /* .. of a function_input_base; .. */
#define QUEUE_CONCURRENCY 2u /* .. 0: unlimited; .. */
#define QUEUE_NO_THROW 36u   /* .. bytes: whether its body is noexcept */

/* continue_receiver */
struct counter {
	const uintptr_t *vtable;
	char mutex;
	int n_predecessors, n_messages, n_initial;
};

/* Where nodes of a class have their successors. */
struct node_class {
	const uintptr_t *original;
	uint32_t n_caches;
	uint16_t cache[CACHES]; /* words */
};

static struct node_class node_classes[CLASSES];
static uint32_t n_node_classes;
static _Atomic uint32_t context_word;

void flow_wrap(const struct flow_ours *functions)
{
	flow_ours = functions;
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
	const uintptr_t *word = body_word_at(node), *vtable = body_word_at(word[0]);
	struct node_class *class = &node_classes[n_node_classes];

	if (class_is_copy(vtable))
		vtable = class_of(word)->original;
	for (uint32_t i = n_node_classes; i > 0; i--)
		if (node_classes[i - 1].original == vtable)
			return (uint16_t)i;
	if (n_node_classes == CLASSES || !body_is_node(node))
		return 0;
	*class = (struct node_class){ .original = vtable };
	for (uint16_t i = 1; i < FLOW_NODE_WORDS && class->n_caches < CACHES; i++) {
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
		{ "19threshold_regulatorI", true, FLOW_LETS_GO },
		{ "12limiter_nodeI", false, FLOW_LIMITS },
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

	for (uint32_t i = 1; i < FLOW_NODE_WORDS && libc_can_read(&word[i]); i++)
		if (body_has_type(word[i]) && body_is_node(body_top_of(word[i])))
			return i;
	return 0;
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
	case FLOW_LETS_GO: /* of continue_msg, by the end of its arguments, not of numbers */
		return graph && body_type_has(body_word_at(receiver)[0], "_vEE") &&
		       counter->n_predecessors <= 1;
	case FLOW_LIMITS:
		return graph && body_word_at(node)[KEEP_PASSED] <= body_word_at(node)[KEEP_LIMIT];
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
static bool receiver_add(const struct flow_class *class, uintptr_t receiver)
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
	point->rule = node ? class->rule : FLOW_PASSES;
	if (node && !fits(class->rule, receiver, top))
		point->rule = class->rule == FLOW_LETS_GO ? FLOW_KEEPS : FLOW_PASSES;
	/* oneTBB queues a message in spite of the policy if the body might throw. */
	point->runs = class->runs && (point->rule != FLOW_QUEUES ||
				      ((const bool *)body_word_at(receiver))[QUEUE_NO_THROW]);
	if (point->rule == FLOW_KEEPS)
		keep_adopt(node, top);
	if (point->rule == FLOW_LIMITS)
		atomic_store(&node->n_taken, atomic_load(&node->n_put));
	if (!node || point->node != point_number(node))
		port_move(point, node);
	atomic_store(&point->asks, false);
	atomic_store(&point->n_taken, atomic_load(&point->n_put));
	return true;
}

/* What our copy of its vtable is to do, by the type of whoever has it. */
static void class_learn(struct flow_class *class, uintptr_t receiver)
{
	uintptr_t vtable = (uintptr_t) class->original;

	class->known = true;
	class->top = (ptrdiff_t) class->original[TBB_VTABLE_TOP];
	class->owner = class->top ? 0 : owner_find(receiver);
	class->rule = rule_of(vtable, class->top == 0);
	class->runs = body_type_has(vtable, "lightweight");
	class->word[FLOW_PUT] = (uintptr_t)flow_ours->put;
	class->word[FLOW_REGISTER] = (uintptr_t)flow_ours->asked;
	if (class->rule == FLOW_COUNTS && class->runs)
		class->word[FLOW_EXECUTE] = (uintptr_t)flow_ours->execute;
}

/* The receiver's next message comes to us, if it is one that is known.  With the lock held. */
static void receiver_adopt(uintptr_t at)
{
	struct flow_receiver *receiver = (struct flow_receiver *)at; /* NOLINT: an address */
	struct flow_class *class;

	if (!at || at % sizeof(at) || !libc_can_read(receiver) || class_is_copy(receiver->vtable))
		return;
	class = class_get(at);
	if (class && !class->known)
		class_learn(class, at);
	if (class && receiver_add(class, at))
		class_put(at, class);
}

/* ---- successors ---- */

/* A list that changes while we read it leads astray, but to no receiver: each step is looked at. */
static void successors_adopt(const uintptr_t *list)
{
	const uintptr_t *at = body_word_at(list[0]);

	/* The third word is the list's size, or the cache's owner. */
	for (uint64_t n = list[2] < FLOW_POINTS ? list[2] : FLOW_POINTS; n > 0 && at != list; n--) {
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
	libc_lock(&flow_lock);
	for (uint32_t i = 0; i < class->n_caches; i++)
		successors_adopt(&word[class->cache[i] + LIST]);
	atomic_store_explicit(&point->seen, print, memory_order_release);
	libc_unlock(&flow_lock);
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

static struct flow_message message_of(struct flow_point *point)
{
	return (struct flow_message){ point, atomic_fetch_add(&point->n_put, 1) };
}

/*
 * What is to be done with the messages whose names the thread has: they go with the one that is
 * put, or, where that gets a name of its own or is run at once, the putter waits for them.
 */
void flow_put_begin(struct flow_put *put, const struct flow_receiver *receiver, const void *message)
{
	struct flow_point *point = point_of((uintptr_t)receiver, false);
	struct flow_point *node = point ? point_at(point->node) : NULL;
	struct flow_names *names = &flow_here.names;
	bool keeps = keep_is_keeper(node);

	flow_got.n = 0; /* they have their tasks by now, or other threads have those */
	/* A keeper hands on a message of its own: who put it there may be another thread. */
	if (flow_here.keeper) {
		names->n = 0;
		names_add(names, keep_next());
	}
	flow_here.keeper = NULL;
	if (!node)
		return;
	names_add(names, keep_let_go(point));
	put->visit = (struct keep_visit){ keeps ? message : NULL, names->name[0], NULL };
	/* A keeper's place has one name.  A message that follows none, or several, gets its own. */
	if (point->rule == FLOW_LETS_GO && body_word_at(node->address)[KEEP_PASSED])
		put->own = message_of(node);
	else if (keeps && names->n != 1)
		put->own = message_of(point);
	else if (may_wait(point) && (!point->runs || point->rule == FLOW_COUNTS))
		put->own = message_of(point);
	/* The message's own name follows those that the thread has; and so does code that is run.
	 */
	if (put->own.point || point->runs)
		put->awaited = *names;
	if (put->own.point || point->runs || keeps)
		names->n = 0;
	if (keeps && put->own.point)
		put->visit.name = flow_name(&put->own);
	put->fires = (put->own.point && !keeps) || names->n;
	flow_here.own = put->own;
	keep_enter(&put->visit);
}

void flow_put_end(struct flow_put *put)
{
	keep_leave(&put->visit);
	flow_here = put->before;
	flow_got.n = 0;
}

void flow_put_prepare(const struct flow_receiver *receiver)
{
	struct flow_point *point = point_of((uintptr_t)receiver, false);

	if (point)
		node_prepare(point_at(point->node));
}

bool flow_put_unlinked(const struct flow_receiver *receiver, const struct tbb_task *next)
{
	const struct flow_point *point = point_of((uintptr_t)receiver, false);
	const struct flow_point *node = point ? point_at(point->node) : NULL;

	if (!node || !next)
		return false;
	return (point->rule == FLOW_KEEPS && !keep_is_keeper(node) &&
		(uintptr_t)next == FLOW_TAKEN) ||
	       (point->rule == FLOW_QUEUES && point->runs && may_wait(point));
}

void flow_put_refused(const struct flow_message *message)
{
	atomic_store_explicit(&message->point->asks, true, memory_order_relaxed);
}

/* Who depends on messages: a task that was created just now, or the running one, at a site. */
struct taker {
	struct worker *worker;
	uint32_t site; /* 0: the created one */
};

/* A task that runs already ends a strand where it takes what it waited for. */
static void take_name(const struct taker *taker, uint64_t name)
{
	struct worker *worker = taker->worker;

	if (!taker->site) {
		record_detail(worker, WIRE_DEPEND, depend_make(name, WIRE_DEPEND_ON));
		return;
	}
	record_wait_for(worker, taker->site, WIRE_WAIT_NAMED, name);
	record_resume(worker, worker->task);
}

void flow_await(struct worker *worker, uint32_t site, const struct flow_put *put)
{
	struct taker taker = { worker, site };

	for (uint32_t i = 0; site && i < put->awaited.n; i++)
		take_name(&taker, put->awaited.name[i]);
}

static bool is_message(const struct flow_message *message, const struct flow_point *point,
		       uint64_t number)
{
	return message->point == point && message->number == number;
}

static void take(const struct taker *taker, struct flow_point *point, uint64_t number)
{
	take_name(taker, flow_name(&(struct flow_message){ point, number }));
}

/* Takes the oldest message. */
static void take_one(const struct taker *taker, struct flow_point *point,
		     const struct flow_message *own)
{
	uint64_t number = atomic_load(&point->n_taken);

	do {
		if (number >= atomic_load(&point->n_put) || atomic_load(&point->asks))
			return;
	} while (!atomic_compare_exchange_weak(&point->n_taken, &number, number + 1));
	if (!is_message(own, point, number))
		take(taker, point, number);
}

/*
 * Takes one message of each predecessor.  Those of the next round may be there already; and those
 * of a round that was cancelled still.
 */
static void take_all(const struct taker *taker, struct flow_point *point,
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
			take(taker, point, i);
	atomic_store(&point->n_taken, end);
}

/* Takes the oldest message that was got. */
static void take_got(const struct taker *taker)
{
	if (!flow_got.n)
		return;
	if (flow_got.name[0])
		take_name(taker, flow_got.name[0]);
	flow_got.n--;
	for (uint32_t i = 0; i < flow_got.n; i++)
		flow_got.name[i] = flow_got.name[i + 1];
}

void flow_created(struct worker *worker, uintptr_t at, const struct flow_message *own)
{
	struct taker taker = { worker, 0 };
	struct flow_message none = { NULL, 0 };
	uintptr_t top = body_top_of(at);
	struct flow_point *node, *point;

	if (at != top && !class_is_copy(body_word_at(*body_word_at(at)))) {
		libc_lock(&flow_lock);
		receiver_adopt(at);
		libc_unlock(&flow_lock);
	}
	node = point_of(top, false);
	if (!node) {
		libc_lock(&flow_lock);
		node = node_add(top);
		libc_unlock(&flow_lock);
	}
	node_prepare(node);
	for (uint32_t i = 0; i < flow_here.names.n; i++)
		take_name(&taker, flow_here.names.name[i]);
	point = at != top ? point_of(at, false) : NULL;
	own = own ? own : &none;
	if (point && point->rule == FLOW_COUNTS)
		take_all(&taker, point, own);
	else if (point && point->rule == FLOW_QUEUES && point->asks)
		take_got(&taker);
	else if (point && point->rule == FLOW_QUEUES)
		take_one(&taker, point, own);
	for (uint32_t i = at == top && node ? node->ports : 0; i; i = point_at(i)->next)
		if (point_at(i)->rule == FLOW_JOINS)
			take_one(&taker, point_at(i), own);
}

/* A lightweight node has no task: the one that put the last message runs it. */
void flow_run(struct worker *worker, uint32_t site, const struct flow_receiver *receiver)
{
	struct taker taker = { worker, site };
	struct flow_point *point = point_of((uintptr_t)receiver, false);

	if (point && site && point->rule == FLOW_COUNTS)
		take_all(&taker, point, &flow_here.own);
}

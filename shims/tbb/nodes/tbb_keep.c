/* SPDX-License-Identifier: MIT */
/* tbb_keep.c - buffers of flow graphs, and senders that are asked. */
#include "shims/tbb/nodes/tbb_keep.h"

#include "preload/budget.h"
#include "preload/libc.h"

#include "preload/poison.h"

enum {
	/* words of a keeper's vtable, behind those of all nodes; .. */
	FORWARD = 7,
	PUSH = 8,
	POP = 9,
	RESERVE = 10,
	/* .. of a sender's; .. */
	TRY_GET = 2,
	TRY_RESERVE = 3,
	TRY_RELEASE = 4,
	TRY_CONSUME = 5,
	/* .. and of a function object's; a word of what is asked of a keeper */
	CALL = 2,
	MESSAGE = 3,
};

#define FIRST_NAMES 256u
#define SEQUENCE_FIRST 9u /* words of a node: its function object is behind those of buffers */

/* As oneTBB's headers compile it: graph_node, reservable_item_buffer. */
struct buffer {
	uintptr_t node[4];
	const uintptr_t *array;
	size_t size, head, tail;
};

struct keeper {
	_Atomic uint32_t lock; /* for visits */
	struct keep_visit *visits;
	bool last;	/* it hands on its last message, not the first */
	bool sequences; /* a message's place is told by a function object */
	size_t n;	/* places, a power of two; 0: there was no memory for more */
	uint64_t *name;
	uint64_t first[FIRST_NAMES];
};

__thread struct flow_here flow_here;

void names_add(struct flow_names *names, uint64_t name)
{
	if (name && names->n < FLOW_TAKES)
		names->name[names->n++] = name;
}

/*
 * As many may have passed at once as the limit says, so message k follows the (k - limit)th of
 * those that let one go.  Another thread may pass one meanwhile: then it is an older one that is
 * named, which has been put, too, and never one that comes later.
 */
uint64_t keep_let_go(const struct flow_point *limiter)
{
	const uintptr_t *word = body_word_at(limiter->address);
	uint64_t n_let_go = limiter->n_put;

	if (limiter->rule != FLOW_LIMITS || word[KEEP_PASSED] >= word[KEEP_LIMIT] ||
	    n_let_go + word[KEEP_PASSED] < word[KEEP_LIMIT])
		return 0;
	return flow_name(&(struct flow_message){ (struct flow_point *)limiter,
						 n_let_go + word[KEEP_PASSED] - word[KEEP_LIMIT] });
}

/*
 * ---- visits ----
 *
 * A thread that puts or takes a message enters a list first.  Whoever then does it for the node,
 * this thread or another one, has the address of the message, and finds the visit by that.
 */

void keep_enter(struct keep_visit *visit)
{
	if (!visit->keeper)
		return;
	libc_lock(&visit->keeper->lock);
	visit->next = visit->keeper->visits;
	visit->keeper->visits = visit;
	libc_unlock(&visit->keeper->lock);
}

void keep_leave(struct keep_visit *visit)
{
	struct keeper *keeper = visit->keeper;
	struct keep_visit **at;

	if (!keeper)
		return;
	libc_lock(&keeper->lock);
	for (at = &keeper->visits; *at && *at != visit;)
		at = &(*at)->next;
	if (*at)
		*at = visit->next;
	libc_unlock(&keeper->lock);
}

/* The name that who visits brings; or else it gets this one. */
static uint64_t visit_name(struct keeper *keeper, const void *message, const uint64_t *given)
{
	struct keep_visit *visit;
	uint64_t name = 0;

	libc_lock(&keeper->lock);
	visit = keeper->visits;
	while (visit && visit->message != message)
		visit = visit->next;
	if (visit && given)
		visit->name = *given;
	if (visit)
		name = visit->name;
	libc_unlock(&keeper->lock);
	return name;
}

/*
 * ---- places ----
 *
 * A buffer counts its messages from the first one on: `head` is that of the oldest, `tail` that of
 * the next one, and its array, whose size is a power of two, has them at the remainder.  So have
 * the names theirs.  Only who has the node to itself is here.
 */

static void names_grow(struct keeper *keeper, const struct buffer *buffer)
{
	size_t n = 2 * keeper->n;
	uint64_t *more;

	while (n < buffer->size)
		n *= 2;
	more = keeper->n ? map_zeroed(n * sizeof(*more)) : NULL;
	for (size_t i = buffer->head; more && i < buffer->tail; i++)
		more[i & (n - 1)] = keeper->name[i & (keeper->n - 1)];
	keeper->name = more;
	keeper->n = more ? n : 0;
}

static uint64_t name_at(const struct keeper *keeper, size_t place)
{
	return keeper->n ? keeper->name[place & (keeper->n - 1)] : 0;
}

static uint64_t name_next(const struct keeper *keeper, const struct buffer *buffer)
{
	return name_at(keeper, keeper->last ? buffer->tail - 1 : buffer->head);
}

uint64_t keep_next(void)
{
	const struct flow_point *point = flow_here.keeper;

	return name_next(point->keeper, (const struct buffer *)point->address); /* NOLINT */
}

/* ---- in the place of a keeper's functions ---- */

static void here_restore(struct flow_here *before)
{
	flow_here = *before;
}

/* It puts what it has to its successors. */
static uintptr_t keep_forward(void *node, void *operation, void *more)
{
	__attribute__((unused, cleanup(here_restore))) struct flow_here before = flow_here;

	flow_here.keeper = point_of((uintptr_t)node, false);
	flow_here.names.n = 0;
	return flow_real(node, FORWARD)(node, operation, more);
}

/*
 * Its name stays at its place until it is taken.  A sequencer refuses a message whose place is
 * over, and may make its array larger.
 */
static uintptr_t keep_push(void *node, void *operation, void *more)
{
	struct flow_point *point = point_of((uintptr_t)node, false);
	struct keeper *keeper = point->keeper;
	const struct buffer *buffer = node;
	size_t place = buffer->tail;
	uint64_t name = visit_name(keeper, ((const void **)operation)[MESSAGE], NULL);
	uintptr_t pushed = flow_real(node, PUSH)(node, operation, more);

	if (keeper->sequences)
		place = flow_here.place;
	if (keeper->n && keeper->n < buffer->size)
		names_grow(keeper, buffer);
	if ((pushed & 1) && keeper->n)
		keeper->name[place & (keeper->n - 1)] = name;
	return pushed;
}

/* If there is none, nobody asks for its name. */
static uintptr_t keep_pop(void *node, void *operation, void *more)
{
	struct keeper *keeper = point_of((uintptr_t)node, false)->keeper;
	uint64_t name = name_next(keeper, node);

	visit_name(keeper, ((const void **)operation)[MESSAGE], &name);
	return flow_real(node, POP)(node, operation, more);
}

/* All kinds reserve their first message, the buffer_node, too. */
static uintptr_t keep_reserve(void *node, void *operation, void *more)
{
	struct keeper *keeper = point_of((uintptr_t)node, false)->keeper;
	uint64_t name = name_at(keeper, ((const struct buffer *)node)->head);

	visit_name(keeper, ((const void **)operation)[MESSAGE], &name);
	return flow_real(node, RESERVE)(node, operation, more);
}

/* The program's function says the place of the message that is being pushed. */
static uintptr_t keep_sequence(void *body, void *message, void *more)
{
	return flow_here.place = flow_real(body, CALL)(body, message, more);
}

/* ---- nodes that are keepers ---- */

/* The class with our functions from word `first` on, before word `end`. */
static struct flow_class *class_known(uintptr_t object, const uintptr_t *ours, int first, int end)
{
	struct flow_class *class = class_get(object);

	for (int i = first; class && !class->known && i < end; i++)
		class->word[i] = ours[i - first];
	if (class)
		class->known = true;
	return class;
}

/* The function object of a sequencer_node; 0. */
static uintptr_t sequence_find(uintptr_t node)
{
	const uintptr_t *word = body_word_at(node);

	for (uint32_t i = SEQUENCE_FIRST; i < FLOW_NODE_WORDS && libc_can_read(&word[i]); i++)
		if (body_has_type(word[i]) &&
		    body_is_type(*body_word_at(word[i]), "18function_body_leafI"))
			return word[i];
	return 0;
}

/* Whether an object of unknown headers lies in memory as ours do. */
static bool fits(const struct buffer *buffer)
{
	return buffer->size >= 4 && !(buffer->size & (buffer->size - 1)) &&
	       buffer->head <= buffer->tail && buffer->tail - buffer->head <= buffer->size &&
	       libc_can_read(buffer->array);
}

/* What a node at this address had is forgotten: its messages are gone with it. */
static struct keeper *keeper_of(struct flow_point *point)
{
	struct keeper *keeper = point->keeper ? point->keeper : map_zeroed(sizeof(*keeper));

	if (!keeper)
		return NULL;
	if (!keeper->n) {
		keeper->n = FIRST_NAMES;
		keeper->name = keeper->first;
	}
	for (size_t i = 0; i < keeper->n; i++)
		keeper->name[i] = 0;
	return keeper;
}

void keep_adopt(struct flow_point *point, uintptr_t node)
{
	static const uintptr_t ours[] = { (uintptr_t)keep_forward, (uintptr_t)keep_push,
					  (uintptr_t)keep_pop, (uintptr_t)keep_reserve };
	static const uintptr_t call = (uintptr_t)keep_sequence;
	uintptr_t vtable = *body_word_at(node), body = 0;
	bool last = body_is_type(vtable, "11buffer_nodeI");
	bool sequences = body_is_type(vtable, "14sequencer_nodeI");
	const struct flow_class *class, *of_body = NULL;
	struct keeper *keeper;

	if (class_is_copy(body_word_at(vtable)) ||
	    !(last || sequences || body_is_type(vtable, "10queue_nodeI")) ||
	    !fits((const struct buffer *)node)) /* NOLINT: an address */
		return;
	if (sequences)
		body = sequence_find(node);
	if (body)
		of_body = class_known(body, &call, CALL, CALL + 1);
	class = class_known(node, ours, FORWARD, RESERVE + 1);
	keeper = class && !sequences == !of_body ? keeper_of(point) : NULL;
	if (!keeper)
		return;
	keeper->last = last;
	keeper->sequences = sequences;
	atomic_store(&point->keeper, keeper);
	if (of_body)
		class_put(body, of_body);
	class_put(node, class);
}

/* ---- in the place of a sender's functions ---- */

/* The name of what was taken; 0: nothing, or it is not known. */
static uint64_t sender_take(void *sender, void *message, void *more, int word, uintptr_t *taken)
{
	const struct flow_point *point = point_of((uintptr_t)sender, false);
	const struct flow_point *node = point ? point_at(point->node) : NULL;
	__attribute__((cleanup(keep_leave))) struct keep_visit visit = { NULL, message, 0, NULL };

	if (node)
		visit.keeper = node->keeper;
	if (point && !visit.keeper)
		visit.name = point->offered;
	keep_enter(&visit);
	*taken = flow_real(sender, word)(sender, message, more);
	if ((*taken & 1) && !visit.keeper && !visit.name)
		flow_ours->unlinked();
	return *taken & 1 ? visit.name : 0;
}

/* A receiver that gets a message makes its task next, and only it: others on this thread do not
 * depend on it. */
static uintptr_t sender_get(void *sender, void *message, void *more)
{
	const struct flow_point *point = point_of((uintptr_t)sender, false);
	uintptr_t taken;
	uint64_t name = sender_take(sender, message, more, TRY_GET, &taken);

	flow_here.got = name;
	flow_here.got_by = point ? point->asker : 0;
	return taken;
}

/*
 * A join reserves a message of each port, and puts them as one if all have some, else it releases
 * them.  A limiter reserves what it may pass.
 */
static uintptr_t sender_reserve(void *sender, void *message, void *more)
{
	const struct flow_point *point = point_of((uintptr_t)sender, false);
	uint64_t go = point && point->asker ? keep_let_go(point_at(point->asker)) : 0;
	uintptr_t taken;
	uint64_t name = sender_take(sender, message, more, TRY_RESERVE, &taken);

	if (taken & 1)
		names_add(&flow_here.names, go);
	names_add(&flow_here.names, name);
	return taken;
}

static uintptr_t sender_release(void *sender, void *none, void *more)
{
	flow_here.names.n = 0;
	return flow_real(sender, TRY_RELEASE)(sender, none, more);
}

/* It was put by now, and who got it depends on it. */
static uintptr_t sender_consume(void *sender, void *none, void *more)
{
	flow_here.names.n = 0;
	return flow_real(sender, TRY_CONSUME)(sender, none, more);
}

uint64_t sender_adopt(uintptr_t sender, uint32_t asker)
{
	static const uintptr_t ours[] = { (uintptr_t)sender_get, (uintptr_t)sender_reserve,
					  (uintptr_t)sender_release, (uintptr_t)sender_consume };
	const struct flow_class *class;
	struct flow_point *point, *node;
	uintptr_t top;

	if (!sender || sender % sizeof(sender) || !body_has_type(sender))
		return 0;
	top = body_top_of(sender);
	point = body_is_node(top) ? point_of(sender, true) : NULL;
	node = point ? point_of(top, true) : NULL;
	if (!node)
		return 0;
	point->node = point_number(node);
	point->asker = asker;
	if (!class_is_copy(body_word_at(*body_word_at(sender)))) {
		class = class_known(sender, ours, TRY_GET, TRY_CONSUME + 1);
		point->offered = 0;
		if (class)
			class_put(sender, class);
	}
	if (!body_is_type(*body_word_at(top), "10input_nodeI"))
		return 0;
	point->offered = flow_name(&(struct flow_message){ point, point->n_put++ });
	return point->offered;
}

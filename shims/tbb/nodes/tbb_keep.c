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

#define FIRST_NAMES 512u /* a page */
#define VISITS 64u
#define SEQUENCE_FIRST 9u /* words of a node: its function object is behind those of buffers */

/* As oneTBB's headers compile it: graph_node, reservable_item_buffer. */
struct buffer {
	uintptr_t node[4];
	const uintptr_t *array;
	size_t size, head, tail;
};

__thread struct flow_here flow_here;
__thread struct flow_names flow_got;
static __thread size_t place_told; /* in a sequence, last */

void names_add(struct flow_names *names, uint64_t name)
{
	if (name && names->n < FLOW_TAKES)
		names->name[names->n++] = name;
}

/*
 * As many may have passed at once as the limit says, so message k follows the (k - limit)th of
 * those that let one go.  Another thread may do either meanwhile: then it is the one before or
 * behind that is named.
 */
uint64_t keep_let_go(const struct flow_point *receiver)
{
	bool limits = receiver && receiver->rule == FLOW_LIMITS;
	struct flow_point *limiter = limits ? point_at(receiver->node) : NULL;
	const uintptr_t *word = limiter ? body_word_at(limiter->address) : NULL;
	uint64_t n = limiter ? limiter->n_put + word[KEEP_PASSED] : 0;

	if (!limiter || word[KEEP_PASSED] >= word[KEEP_LIMIT] ||
	    n < limiter->n_taken + word[KEEP_LIMIT])
		return 0;
	return flow_name(&(struct flow_message){ limiter, n - word[KEEP_LIMIT] });
}

/*
 * ---- visits ----
 *
 * A thread that puts or takes a message enters a list first.  Whoever then does it for the node,
 * this thread or another one, has the operation, which tells the address of the message and is on
 * the stack of the thread that visits.
 */

static struct visits {
	_Atomic uint32_t lock;
	struct keep_visit *first;
} __attribute__((aligned(64))) all_visits[VISITS]; /* by the address's hash */

static struct visits *visits_of(const void *message)
{
	return &all_visits[(uint64_t)(uintptr_t)message * 0x9e3779b97f4a7c15u >> 58];
}
_Static_assert(VISITS == 1u << (64 - 58), "a hash's highest bits");

/* Those of the parent's other threads never end. */
void flow_forget(void)
{
	for (uint32_t i = 0; i < VISITS; i++)
		all_visits[i].first = NULL;
}

void keep_enter(struct keep_visit *visit)
{
	struct visits *visits = visits_of(visit->message);

	if (!visit->message)
		return;
	libc_take(&visits->lock);
	visit->next = visits->first;
	visits->first = visit;
	libc_give(&visits->lock);
}

void keep_leave(struct keep_visit *visit)
{
	struct visits *visits = visits_of(visit->message);
	struct keep_visit **at = &visits->first;

	if (!visit->message)
		return;
	libc_take(&visits->lock);
	while (*at && *at != visit)
		at = &(*at)->next;
	if (*at)
		*at = visit->next;
	libc_give(&visits->lock);
}

/*
 * The name that who visits brings; or else it gets this one.  Threads may put one object at once:
 * the next visit above the operation is of the same stack.
 */
static uint64_t visit_name(const void *operation, const uint64_t *given)
{
	const void *message = ((const void *const *)operation)[MESSAGE];
	struct visits *visits = visits_of(message);
	struct keep_visit *found = NULL;
	uintptr_t nearest = UINTPTR_MAX;
	uint64_t name = 0;

	libc_take(&visits->lock);
	for (struct keep_visit *visit = visits->first; visit; visit = visit->next) {
		uintptr_t above = (uintptr_t)visit - (uintptr_t)operation;

		if (visit->message == message && above < nearest) {
			found = visit;
			nearest = above;
		}
	}
	if (found && given)
		found->name = *given;
	if (found)
		name = found->name;
	libc_give(&visits->lock);
	return name;
}

/*
 * ---- places ----
 *
 * A buffer counts its messages from the first one on: `head` is that of the oldest, `tail` that of
 * the next one, and its array, whose size is a power of two, has them at the remainder.  So have
 * the names theirs.  Only who has the node to itself is here.
 */

static const struct buffer *buffer_of(const struct flow_point *keeper)
{
	return (const struct buffer *)keeper->address; /* NOLINT: an address */
}

/* If there is no memory, the next one that is put finds some, or not. */
static void names_grow(struct flow_point *keeper)
{
	const struct buffer *buffer = buffer_of(keeper);
	size_t n = keeper->n_names ? 2 * keeper->n_names : FIRST_NAMES;
	uint64_t *more;

	while (n < buffer->size)
		n *= 2;
	more = map_zeroed(n * sizeof(*more));
	for (size_t i = buffer->head; more && keeper->n_names && i < buffer->tail; i++)
		more[i & (n - 1)] = keeper->name[i & (keeper->n_names - 1)];
	keeper->name = more;
	keeper->n_names = more ? n : 0;
}

static uint64_t name_at(const struct flow_point *keeper, size_t place)
{
	return keeper->n_names ? keeper->name[place & (keeper->n_names - 1)] : 0;
}

static uint64_t name_next(const struct flow_point *keeper)
{
	const struct buffer *buffer = buffer_of(keeper);

	return name_at(keeper, class_of(buffer)->last ? buffer->tail - 1 : buffer->head);
}

uint64_t keep_next(void)
{
	return name_next(flow_here.keeper);
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
	struct flow_point *keeper = point_of((uintptr_t)node, false);
	const struct buffer *buffer = node;
	size_t place = buffer->tail;
	uint64_t name = visit_name(operation, NULL);
	uintptr_t pushed = flow_real(node, PUSH)(node, operation, more);

	if (class_of(node)->sequences)
		place = place_told;
	if (keeper->n_names < buffer->size)
		names_grow(keeper);
	if ((pushed & 1) && keeper->n_names)
		keeper->name[place & (keeper->n_names - 1)] = name;
	return pushed;
}

/* If there is none, nobody asks for its name. */
static uintptr_t keep_pop(void *node, void *operation, void *more)
{
	uint64_t name = name_next(point_of((uintptr_t)node, false));

	visit_name(operation, &name);
	return flow_real(node, POP)(node, operation, more);
}

/* All kinds reserve their first message, the buffer_node, too. */
static uintptr_t keep_reserve(void *node, void *operation, void *more)
{
	uint64_t name = name_at(point_of((uintptr_t)node, false), ((struct buffer *)node)->head);

	visit_name(operation, &name);
	return flow_real(node, RESERVE)(node, operation, more);
}

/* The program's function says the place of the message that is being pushed. */
static uintptr_t keep_sequence(void *body, void *message, void *more)
{
	return place_told = flow_real(body, CALL)(body, message, more);
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

void keep_adopt(struct flow_point *point, uintptr_t node)
{
	static const uintptr_t ours[] = { (uintptr_t)keep_forward, (uintptr_t)keep_push,
					  (uintptr_t)keep_pop, (uintptr_t)keep_reserve };
	static const uintptr_t call = (uintptr_t)keep_sequence;
	uintptr_t vtable = *body_word_at(node), body = 0;
	bool last = body_is_type(vtable, "11buffer_nodeI");
	bool sequences = body_is_type(vtable, "14sequencer_nodeI");
	const struct flow_class *of_body = NULL;
	struct flow_class *class;

	if (class_is_copy(body_word_at(vtable)) ||
	    !(last || sequences || body_is_type(vtable, "10queue_nodeI")) ||
	    !fits((const struct buffer *)node)) /* NOLINT: an address */
		return;
	if (sequences)
		body = sequence_find(node);
	if (body)
		of_body = class_known(body, &call, CALL, CALL + 1);
	class = class_known(node, ours, FORWARD, RESERVE + 1);
	if (!class || !sequences != !of_body)
		return;
	class->rule = FLOW_KEEPS;
	class->last = last;
	class->sequences = sequences;
	for (size_t i = 0; i < point->n_names; i++)
		point->name[i] = 0; /* of a node that was here before */
	if (of_body)
		class_put(body, of_body);
	class_put(node, class);
}

bool keep_is_keeper(const struct flow_point *node)
{
	const uintptr_t *object = node ? body_word_at(node->address) : NULL;

	return object && class_is_copy(body_word_at(*object)) &&
	       class_of(object)->rule == FLOW_KEEPS;
}

/* ---- in the place of a sender's functions ---- */

/* The name of what was taken; 0: nothing, or it is not known. */
static uint64_t sender_take(void *sender, void *message, void *more, int word, uintptr_t *taken)
{
	const struct flow_point *point = point_of((uintptr_t)sender, false);
	bool keeps = keep_is_keeper(point_at(point->node));
	__attribute__((cleanup(keep_leave))) struct keep_visit visit = { keeps ? message : NULL,
									 keeps ? 0 : point->offered,
									 NULL };

	keep_enter(&visit);
	*taken = flow_real(sender, word)(sender, message, more);
	if ((*taken & 1) && !keeps && !visit.name)
		flow_ours->unlinked();
	return *taken & 1 ? visit.name : 0;
}

/* Then the receiver makes a task of it; if it gets another one first, that one's task is handed
 * over later. */
static uintptr_t sender_get(void *sender, void *message, void *more)
{
	uintptr_t taken;
	uint64_t name = sender_take(sender, message, more, TRY_GET, &taken);

	if ((taken & 1) && flow_got.n < FLOW_TAKES)
		flow_got.name[flow_got.n++] = name;
	return taken;
}

/*
 * A join reserves a message of each port, and puts them as one if all have some, else it releases
 * them.  A limiter reserves what it may pass.
 */
static uintptr_t sender_reserve(void *sender, void *message, void *more)
{
	const struct flow_point *point = point_of((uintptr_t)sender, false);
	uint64_t go = keep_let_go(point_at(point->asker));
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

/* NULL: it is no sender of oneTBB's headers, or there is no room.  With the lock held. */
static struct flow_point *sender_adopt(uintptr_t sender)
{
	static const uintptr_t ours[] = { (uintptr_t)sender_get, (uintptr_t)sender_reserve,
					  (uintptr_t)sender_release, (uintptr_t)sender_consume };
	bool is_object = sender % sizeof(sender) == 0 && body_has_type(sender);
	const struct flow_class *class =
		is_object ? class_known(sender, ours, TRY_GET, TRY_CONSUME + 1) : NULL;
	uintptr_t top = class ? body_top_of(sender) : 0;
	struct flow_point *node = class ? point_of(top, true) : NULL;
	struct flow_point *point = node ? point_of(sender, true) : NULL;

	if (!point)
		return NULL;
	point->node = point_number(node);
	point->offered = body_is_type(*body_word_at(top), "10input_nodeI");
	class_put(sender, class);
	return point;
}

uint64_t flow_asked(const struct flow_receiver *receiver, uintptr_t sender)
{
	const struct flow_point *asker = point_of((uintptr_t)receiver, false);
	struct flow_point *point = sender ? point_of(sender, false) : NULL;

	if (!point || !class_is_copy(body_word_at(*body_word_at(sender)))) {
		libc_lock(&flow_lock);
		point = sender_adopt(sender);
		libc_unlock(&flow_lock);
	}
	if (!point)
		return 0;
	point->asker = asker ? point_number(asker) : 0;
	if (point->offered)
		point->offered = flow_name(&(struct flow_message){ point, point->n_put++ });
	return point->offered;
}

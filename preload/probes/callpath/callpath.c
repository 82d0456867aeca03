/* SPDX-License-Identifier: MIT */
/*
 * callpath.c - the probe `callpath`: the call stack that creates a task, found once for each
 * context.
 *
 * At each `create` and `fork`, after the clock was read: what it takes is in no strand.  It is
 * summed up, and told as the tracer's own (WIRE_TRACER) from time to time.
 *
 * A path is the chain of return addresses from the call of the runtime up to the task's own code:
 * it ends below the first frame of a runtime or shim, or at the end of the stack, and has the 48
 * innermost frames of a longer one.  A context is recognised by where on the stack these addresses
 * stood, counted from the recorder's frame, when libunwind first found them: if all of them stand
 * there again, it is the same one.  Nothing is hashed away: equal depth, or equal callers, are not
 * enough.  The same chain with frames of other sizes (alloca) is unwound again and gets the same
 * number.  libunwind runs on a stack of the recorder's own, and is loaded by dlopen().
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "collector/session/environment.h"
#include "collector/session/processor.h"
#include "preload/budget.h"
#include "preload/libc.h"
#include "preload/probe.h"
#include "preload/session.h"
#include "preload/stack.h"

#define CALLPATH_VARIABLE "TPTRACE_CALLPATHS" /* on, off */
#define STACK_BYTES (256u << 10)	      /* for libunwind; it takes what it touches */
#define HELD_TOLD_TICKS 4096u

#define FRAMES_MOST 48u
#define FRAMES_WALKED 256u /* then the stack is taken for endless */
#define BUCKETS 4096u	   /* powers of two */
#define ENTRIES 1024u
#define KNOWN_BYTES (16u << 20)
#define CURSOR_WORDS 4096u /* libunwind's, of the largest machine */
#define PAGE 4096u

static struct {
	int (*init_local)(void *cursor, void *context);
	int (*step)(void *cursor);
	int (*get_reg)(void *cursor, int reg, uintptr_t *value);
} unwind;

/* A return address, and where it stood: words above the recorder's frame. */
struct place {
	uint32_t at;
	uintptr_t address;
};

/* A context, in the order of its frames, the innermost first. */
struct known {
	const struct known *next; /* in its bucket */
	uint64_t unloads;	  /* module_unloads() then: its code may be gone */
	uint32_t path, n;
	struct place place[];
};

/* Who calls the recorder, and where then the address of its caller stands: it may be in several
 * places. */
struct entry {
	uintptr_t shim;
	uint32_t user_at;
	_Atomic uint32_t used;
};

/* Readers take no lock: entries and contexts are there before they can be found, and stay. */
static struct entry entries[ENTRIES];
static const struct known *_Atomic bucket[BUCKETS];
static char *known_room; /* KNOWN_BYTES */
/* Paths by parent and address; with the lock held. */
static uint32_t path_bucket[BUCKETS], next_path[SESSION_PATHS];
static size_t known_used;

static uint32_t mix(uintptr_t a, uintptr_t b)
{
	return (uint32_t)(((a ^ b << 7) * 0x9e3779b97f4a7c15) >> 40);
}

/* ---- recognition ---- */

/* Frames may be smaller now than they were, and the stack be over before a place: so only what is
 * on a page that was read before is read at once. */
static bool stands_again(const struct known *known, const uintptr_t *frame)
{
	uintptr_t page = (uintptr_t)frame / PAGE;

	if (known->unloads != module_unloads())
		return false;
	for (uint32_t i = 0; i < known->n; i++) {
		const uintptr_t *word = frame + known->place[i].at;

		if ((uintptr_t)word / PAGE != page && !libc_can_read(word))
			return false;
		page = (uintptr_t)word / PAGE;
		if (*word != known->place[i].address)
			return false;
	}
	return true;
}

static uint32_t recognise(const uintptr_t *frame)
{
	uintptr_t shim = frame[1];

	for (uint32_t i = mix(shim, 0), n = 0; n < ENTRIES; i++, n++) {
		const struct entry *entry = &entries[i % ENTRIES];
		const uintptr_t *user = frame + entry->user_at;

		if (!atomic_load_explicit(&entry->used, memory_order_acquire))
			return 0;
		if (entry->shim != shim ||
		    ((uintptr_t)user / PAGE != (uintptr_t)frame / PAGE && !libc_can_read(user)))
			continue;
		for (const struct known *known = atomic_load_explicit(
			     &bucket[mix(shim, *user) % BUCKETS], memory_order_acquire);
		     known; known = known->next)
			if (stands_again(known, frame))
				return known->path;
	}
	return 0;
}

/* ---- unwinding, with the session's lock ---- */

struct walk {
	struct session *session;
	const uintptr_t *frame;
	ucontext_t context;
	struct place place[FRAMES_WALKED]; /* from the caller of the recorder on */
	uint32_t n;			   /* of them */
	uint32_t first, end;		   /* the user's */
	uintptr_t cursor[CURSOR_WORDS];
};

static bool is_libc(struct session *session, uintptr_t address)
{
	static const char *const names[] = { "libc.so", "libpthread.so", "libc-2.", NULL };

	return module_is_named(session, address, names);
}

/* The address's word between two stack pointers, the highest one. */
static const uintptr_t *find_word(uintptr_t from, uintptr_t to, uintptr_t address)
{
	const uintptr_t *word = (const uintptr_t *)to;

	while ((uintptr_t)word > from)
		if (*--word == address)
			return word;
	return NULL;
}

/* On the recorder's stack. */
static void walk_up(void *arg)
{
	struct walk *walk = arg;
	uintptr_t ip, sp, below = (uintptr_t)walk->frame;

	if (unwind.init_local(walk->cursor, &walk->context) < 0)
		return;
	while (walk->n < FRAMES_WALKED && unwind.step(walk->cursor) > 0) {
		const uintptr_t *word;

		if (unwind.get_reg(walk->cursor, PROCESSOR_UNWIND_IP, &ip) < 0 ||
		    unwind.get_reg(walk->cursor, PROCESSOR_UNWIND_SP, &sp) < 0 || !ip)
			return;
		if (sp <= (uintptr_t)walk->frame)
			continue; /* the recorder's own */
		word = sp > below ? find_word(below, sp, ip) : NULL;
		if (!word)
			return;
		walk->place[walk->n++] = (struct place){ (uint32_t)(word - walk->frame), ip };
		below = sp;
	}
}

/* What calls main() or a thread's function, _start() above it, says nothing. */
static void cut_start(struct walk *walk)
{
	uint32_t end = walk->end;

	if (end - walk->first > 2 && end == walk->n)
		end -= !is_libc(walk->session, walk->place[end - 1].address);
	while (end - walk->first > 1 && is_libc(walk->session, walk->place[end - 1].address))
		walk->end = --end;
}

static void find_user(struct walk *walk)
{
	while (walk->first < walk->n &&
	       module_is_runtimes(walk->session, walk->place[walk->first].address))
		walk->first++;
	walk->end = walk->first;
	while (walk->end < walk->n &&
	       !module_is_runtimes(walk->session, walk->place[walk->end].address))
		walk->end++;
	cut_start(walk);
	if (walk->end - walk->first > FRAMES_MOST)
		walk->end = walk->first + FRAMES_MOST;
}

/* The frame that is called from `parent`; 0: there is no room. */
static uint32_t path_node(struct session *session, uint32_t parent, uintptr_t address)
{
	uint32_t n = atomic_load(&session->n_paths), site, b = mix(address, parent) % BUCKETS;

	for (uint32_t i = path_bucket[b]; i; i = next_path[i])
		if (session->path[i].parent == parent &&
		    session->site[session->path[i].site].return_address == address)
			return i;
	if (n + 1 == SESSION_PATHS ||
	    !shared_reserve(&session->path[n + 1], sizeof(session->path[0])))
		return 0;
	site = session_add_site(session, &(struct session_site){ .return_address = address });
	if (!site)
		return 0;
	session->path[n + 1] = (struct session_path){ site, parent };
	next_path[n + 1] = path_bucket[b];
	path_bucket[b] = n + 1;
	atomic_store_explicit(&session->n_paths, n + 1, memory_order_release);
	return n + 1;
}

static uint32_t path_of(const struct walk *walk)
{
	uint32_t path = 0;

	for (uint32_t i = walk->end; i-- > walk->first;) {
		path = path_node(walk->session, path, walk->place[i].address);
		if (!path)
			break;
	}
	return path;
}

static void remember_entry(const struct walk *walk)
{
	uintptr_t shim = walk->frame[1];
	uint32_t user_at = walk->place[walk->first].at;

	for (uint32_t i = mix(shim, 0), n = 0; n < ENTRIES / 2; i++, n++) {
		struct entry *entry = &entries[i % ENTRIES];

		if (atomic_load(&entry->used)) {
			if (entry->shim == shim && entry->user_at == user_at)
				return;
			continue;
		}
		entry->shim = shim;
		entry->user_at = user_at;
		atomic_store_explicit(&entry->used, 1, memory_order_release);
		return;
	}
}

/* Up to the last frame of the user's; a context for which there is no room is unwound again. */
static void remember(const struct walk *walk, uint32_t path)
{
	size_t bytes = sizeof(struct known) + walk->end * sizeof(struct place);
	struct known *known = (struct known *)(known_room + known_used);
	uint32_t b = mix(walk->frame[1], walk->place[walk->first].address) % BUCKETS;

	if (bytes > KNOWN_BYTES - known_used)
		return;
	known_used += bytes;
	known->unloads = module_unloads();
	known->path = path;
	known->n = walk->end;
	memcpy(known->place, walk->place, walk->end * sizeof(struct place));
	known->next = atomic_load(&bucket[b]);
	atomic_store_explicit(&bucket[b], known, memory_order_release);
	remember_entry(walk);
}

/* All on the recorder's stack; struct walk is at its end. */
struct finding {
	struct walk *walk;
	uint32_t path;
};

static void find_path(void *arg)
{
	struct finding *finding = arg;
	struct walk *walk = finding->walk;

	walk_up(walk);
	find_user(walk);
	if (walk->first == walk->end)
		return;
	finding->path = path_of(walk);
	if (finding->path)
		remember(walk, finding->path);
}

static uint32_t look_up(const uintptr_t *frame, char *stack)
{
	struct walk *walk = (struct walk *)((uintptr_t)(stack - sizeof(*walk)) & ~UINT64_C(63));
	struct finding finding = { .walk = walk };
	struct session *session = session_lock();
	int saved = errno;

	finding.path = recognise(frame); /* another thread may have been faster */
	if (!finding.path) {
		memset(walk, 0, sizeof(*walk));
		walk->session = session;
		walk->frame = frame;
		getcontext(&walk->context);
		stack_run(walk, find_path, &finding);
	}
	errno = saved;
	session_unlock(session);
	return finding.path;
}

/* The path to the recorder, worker_make_room() with that frame; 0: not known. */
static uint32_t callpath_of(const void *frame, void *stack)
{
	uint32_t path = recognise(frame);

	return path ? path : look_up(frame, stack);
}

/* ---- the session ---- */

static bool find_symbol(void *handle, const char *name, void *function)
{
	void *found = dlsym(handle, name);

	*(void **)function = found;
	return found != NULL;
}

static const char *load_libunwind(void)
{
	void *handle = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return "libunwind (libunwind.so.8) is not installed; recording without call paths";
	if (!find_symbol(handle, PROCESSOR_UNWIND("init_local"), &unwind.init_local) ||
	    !find_symbol(handle, PROCESSOR_UNWIND("step"), &unwind.step) ||
	    !find_symbol(handle, PROCESSOR_UNWIND("get_reg"), &unwind.get_reg))
		return "this libunwind is not HP's; recording without call paths";
	return NULL;
}

/* A new session, as in a forked child, numbers its paths anew. */
static bool callpath_open(struct session *session)
{
	const char *value = options_variable(CALLPATH_VARIABLE), *why = NULL;

	memset((void *)bucket, 0, sizeof(bucket));
	memset(path_bucket, 0, sizeof(path_bucket));
	known_used = 0;
	if (!value || !*value || strcmp(value, "off") == 0)
		return false;
	if (strcmp(value, "on") != 0)
		why = "neither on nor off; recording without call paths";
	else if (!unwind.step)
		why = load_libunwind();
	if (why)
		options_say_bad(CALLPATH_VARIABLE, value, why);
	if (!why && !known_room)
		known_room = map_zeroed(KNOWN_BYTES);
	if (why || !known_room)
		return false;
	session->options.collapse_ns = 0; /* a tally has no paths */
	return true;
}

/* ---- events ---- */

/* Of one worker's thread; a stack for libunwind is behind it. */
struct finder {
	uint64_t held_ticks; /* that finding paths took, and that are not told yet */
};

#define FINDER_BYTES (64u + STACK_BYTES)

static void callpath_after(struct worker *worker, void *own, enum wire_kind kind, const void *frame)
{
	struct finder *finder = own;
	uint64_t began;
	uint32_t path;

	if (kind != WIRE_CREATE && kind != WIRE_FORK)
		return;
	began = worker_ticks(worker);
	path = callpath_of(frame, (char *)own + FINDER_BYTES);
	finder->held_ticks += worker_ticks(worker) - began;
	if (finder->held_ticks >= HELD_TOLD_TICKS) {
		probe_put(worker, WIRE_TRACER, finder->held_ticks);
		finder->held_ticks = 0;
	}
	if (path)
		probe_put(worker, WIRE_PATH, path);
}

__attribute__((constructor)) static void callpath_add(void)
{
	static struct probe probe = { .name = "callpath",
				      .order = PROBE_TELLS,
				      .worker_bytes = FINDER_BYTES,
				      .open = callpath_open,
				      .after = callpath_after };

	probe_add(&probe);
}

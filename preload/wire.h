/* SPDX-License-Identifier: MIT */
/*
 * wire.h - the contract between the recorder, the collector and the tools: events and blocks.
 *
 * It fixes layout and meaning.  Little-endian, fixed widths; what is
 * not used is zero.  collector/FORMAT.md describes the same bytes for people who have no C.
 *
 *	worker	a slot for one OS thread, 0..WIRE_WORKERS-1; used again when the thread is gone
 *	id	a task, or the group of tasks of a fork: worker << 48 | n, where n counts the ids
 *		that this worker has given out, from 1.  Who makes an id does not store it: its
 *		number follows from the event's place in the worker's stream
 *	name	a word by which the program or the runtime knows a task or a thing to wait for: a
 *		handle, the address of a task object, of a word that becomes full, of a counter.  It
 *		may be used again for another one later; what counts is the order of time
 *	site	a place in the program that calls the runtime, with the code that it hands over;
 *		defined by a line of text (collector/defs.h)
 *	hidden	what ran of tasks whose events were taken out: a task that began and ended on one
 *		worker, with all tasks below it and nothing to do with any other, keeps its BEGIN
 *		and END, and between them stand WIRE_HIDDEN events (preload/collapse.h)
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WIRE_VERSION 1u
#define WIRE_WORKERS 65536u
#define WIRE_ID_WORKER_SHIFT 48

/*
 * An event in a ring.  A strand is what a worker runs between an event that begins one and the
 * next that ends one.  "makes" = takes the worker's next id.
 */
enum wire_kind {
	WIRE_NONE,
	WIRE_ROOT,    /* makes and begins a task that no event created; b = 0 */
	WIRE_BEGIN,   /* begins a created task; b = its id */
	WIRE_MEMBER,  /* makes and begins a task of a group; b = the group's id */
	WIRE_START,   /* as BEGIN, of the task that was NAMEd b last; makes a further id for it */
	WIRE_RESUME,  /* begins the next strand of a task; b = the task's id */
	WIRE_CREATE,  /* ends a strand, makes a task; b = site | enum wire_task << 32 */
	WIRE_FORK,    /* ends a strand, makes a group; b = site | enum wire_fork << 32 */
	WIRE_WAIT,    /* ends a strand; b = site | enum wire_wait << 32 */
	WIRE_YIELD,   /* ends a strand; b = site */
	WIRE_SIGNAL,  /* ends a strand that releases an object; b = the object */
	WIRE_END,     /* ends a strand and its task; b = 0 */
	WIRE_DISCARD, /* the created task b will never begin; any worker may say so */
	WIRE_DISCARD_NAMED, /* likewise, the one that was NAMEd b last */

	/* These carry no time of their own and say more of the event or of the task before. */
	WIRE_DEPEND,  /* of the CREATE or WAIT before: b = address | enum wire_depend << 60 */
	WIRE_OBJECT,  /* of the WAIT before: the name of what is waited for */
	WIRE_NAME,    /* the task that the task at hand created last is known as b from here on */
	WIRE_BAG,     /* that task belongs to bag b: who waits for the bag joins it */
	WIRE_GROUP,   /* the running task opens a taskgroup; closed by its WIRE_WAIT_GROUP */
	WIRE_NOWAIT,  /* the WAIT before turned out to be none */
	WIRE_HANDLE,  /* the running task is done when this object is signalled, not at END */
	WIRE_CANCEL,  /* the running task cancelled its team, loop or taskgroup; b = which */
	WIRE_LOST,    /* b = events of this worker missing here | enum wire_loss << 56 */
	WIRE_NEXT_ID, /* b = ids given out so far, after a gap */
	WIRE_TRACER,  /* b = ticks that the recorder itself held the worker up to now */
	WIRE_MOVED,  /* the task RESUMEd before may have run elsewhere since its last strand here */
	WIRE_HIDDEN, /* of the task that began just before: b = enum wire_hidden << 56 | value */
	WIRE_SINCE,  /* of the LOST before: b = ticks when the first of them would have been */
	WIRE_UNTIL,  /* likewise, from when on events are there again.  If a task runs then, its
		      * RESUME follows, whatever was seen of it before */
	WIRE_KINDS
};
#define WIRE_FIRST_UNTIMED WIRE_DEPEND

enum wire_task {
	WIRE_TASK_UNDEFERRED = 1, /* the program asked for it: its parent waits for it */
	WIRE_TASK_FINAL = 2,	  /* so are all tasks below it */
	WIRE_TASK_UNTIED = 4,
	WIRE_TASK_DETACHED = 8, /* WIRE_HANDLE follows once it runs */
	WIRE_TASK_EMPTY = 16,	/* has no code: done when its dependences are */
	WIRE_TASK_GLOBAL = 32,	/* its dependences are among all tasks that say so, not siblings */
};

enum wire_fork {
	WIRE_FORK_TEAM = 1,	  /* members are the implicit tasks of a parallel region */
	WIRE_FORK_LOOP = 2,	  /* members are the tasks of a taskloop */
	WIRE_FORK_NOWAIT = 4,	  /* the forking task goes on without its members */
	WIRE_FORK_UNDEFERRED = 8, /* as WIRE_TASK_UNDEFERRED, of each member */
	WIRE_FORK_FINAL = 16,	  /* as WIRE_TASK_FINAL */
};

enum wire_wait {
	WIRE_WAIT_CHILDREN = 1, /* taskwait */
	WIRE_WAIT_GROUP,	/* end of taskgroup: children and theirs */
	WIRE_WAIT_TEAM,		/* barrier of the team, for its explicit tasks too */
	WIRE_WAIT_DEPEND,	/* for the children that WIRE_DEPEND events pick out */
	WIRE_WAIT_OBJECT,  /* until the object is signalled, from now on: lock, critical, ordered */
	WIRE_WAIT_NAMED,   /* for the end of the task of that name, or, if it was signalled later,
			    * for the last signal, however long ago: join, full/empty bits */
	WIRE_WAIT_BAG,	   /* for all tasks of the bag, and for its last signal, if it has any */
	WIRE_WAIT_BARRIER, /* for all others that wait for this object */
	WIRE_WAITS
};
#define WIRE_WAIT_GLOBAL 256u /* or'ed to it: as WIRE_TASK_GLOBAL, of a WIRE_WAIT_DEPEND */

enum wire_depend {
	WIRE_DEPEND_IN = 1,
	WIRE_DEPEND_OUT,   /* out, inout */
	WIRE_DEPEND_MUTEX, /* mutexinoutset */
	WIRE_DEPEND_SET,   /* inoutset */
	WIRE_DEPEND_ALL,   /* omp_all_memory; no address */
	WIRE_DEPEND_ON,	   /* as WIRE_WAIT_NAMED, of a task before it begins */
	WIRE_DEPENDS
};
#define WIRE_DEPEND_SHIFT 60

/*
 * What a WIRE_HIDDEN says of a task and all that is hidden below it.  Times are ticks; a field that
 * is not there is 0.  At each instant between the task's begin and end its worker is busy (runs one
 * of the strands) or idle; then the strand that begins next is ready.  Others may be ready, too:
 * `k` of them.
 */
enum wire_hidden {
	WIRE_HIDDEN_NONE,
	WIRE_HIDDEN_MADE,  /* ids that the worker gave out meanwhile */
	WIRE_HIDDEN_OWN,   /* work of the task's own strands */
	WIRE_HIDDEN_WORK,  /* of all strands */
	WIRE_HIDDEN_SPAN,  /* the longest path through them */
	WIRE_HIDDEN_PATH,  /* work along the ready path through them */
	WIRE_HIDDEN_CHAIN, /* tasks below it on the path with the most of them */
	WIRE_HIDDEN_TASKS, /* tasks below it */
	WIRE_HIDDEN_NEXT,  /* + edge (4): idle time with k = 0 by the edge that released what began
			      next */
	WIRE_HIDDEN_MORE = WIRE_HIDDEN_NEXT + 4, /* + edge (4): likewise with k > 0 */
	WIRE_HIDDEN_READY =
		WIRE_HIDDEN_MORE + 4, /* + 0, 1: integral of k by its edge: create, create-cont */
	WIRE_HIDDEN_IDLE =
		WIRE_HIDDEN_READY + 2, /* + min(k, 7): time that it was idle with so many ready */
	WIRE_HIDDEN_BUSY = WIRE_HIDDEN_IDLE + 8, /* + min(k, 7): likewise, busy */
	WIRE_HIDDEN_FIELDS = WIRE_HIDDEN_BUSY + 8
};
#define WIRE_HIDDEN_SHIFT 56
/* fields that are no times */
#define WIRE_HIDDEN_COUNTS                                                                         \
	(UINT64_C(1) << WIRE_HIDDEN_MADE | UINT64_C(1) << WIRE_HIDDEN_CHAIN |                      \
	 UINT64_C(1) << WIRE_HIDDEN_TASKS)
#define WIRE_HIDDEN_K 8u

/* The value of a WIRE_HIDDEN. */
static inline uint64_t wire_hidden_value(uint64_t b)
{
	return b & ((UINT64_C(1) << WIRE_HIDDEN_SHIFT) - 1);
}

/*
 * Histograms: a bucket for each number below 8, and 8 for each power of two above, so that what
 * is counted is known to an eighth.
 */
#define WIRE_BUCKETS 496u
static inline uint32_t wire_bucket(uint64_t value)
{
	uint32_t log2 = value < 8 ? 2 : 63u - (uint32_t)__builtin_clzll(value);

	return value < 8 ? (uint32_t)value : (log2 - 2) * 8 + (value >> (log2 - 3) & 7);
}
static inline uint64_t wire_bucket_least(uint32_t bucket)
{
	return bucket < 8 ? bucket : (UINT64_C(8) | (bucket & 7)) << (bucket / 8 - 1);
}

/* Why events are missing. */
enum wire_loss {
	WIRE_LOSS_RING,	   /* a ring was full, and the recorder was told not to wait */
	WIRE_LOSS_STOPPED, /* recording was stopped: as asked, and no loss */
	WIRE_LOSS_SIZE,	   /* the file had reached its size */
	WIRE_LOSS_OLD,	   /* thrown away for newer ones */
	WIRE_LOSS_DIED,	   /* in the memory of a collector that was killed */
	WIRE_LOSSES
};
#define WIRE_LOSS_SHIFT 56

struct wire_event {
	uint64_t a; /* ticks << 8 | enum wire_kind; untimed: the kind alone */
	uint64_t b;
};

static inline bool wire_begins_strand(unsigned kind)
{
	return kind >= WIRE_ROOT && kind <= WIRE_RESUME;
}
static inline bool wire_ends_strand(unsigned kind)
{
	return kind >= WIRE_CREATE && kind <= WIRE_END;
}
/* The ids that a worker has given out after an event of that kind, when it was n_ids before. */
static inline uint64_t wire_ids_after(unsigned kind, uint64_t b, uint64_t n_ids)
{
	const uint32_t makes = 1u << WIRE_ROOT | 1u << WIRE_MEMBER | 1u << WIRE_START |
			       1u << WIRE_CREATE | 1u << WIRE_FORK;

	if (kind == WIRE_NEXT_ID)
		return b;
	if (kind == WIRE_HIDDEN && b >> WIRE_HIDDEN_SHIFT == WIRE_HIDDEN_MADE)
		return n_ids + wire_hidden_value(b);
	return n_ids + (makes >> kind & 1);
}

/*
 * The file: one wire_header, then blocks.  A block is a wire_block and `body_bytes` of body, a
 * zstd frame with checksum.  WIRE_EVENTS holds events of one worker (collector/encode.h),
 * WIRE_DEFS lines of text (collector/defs.h), WIRE_INDEX one wire_block a block of the file,
 * without their bodies, in file order.  Last, at a clean end, one wire_footer.
 */
#define WIRE_MAGIC "tptrace\n"
#define WIRE_BLOCK_MAGIC 0x4b4c4254u /* "TBLK" */
#define WIRE_FOOTER_MAGIC "tptrend\n"
#define WIRE_BODY_MAX (64u << 20) /* no body is larger, packed or unpacked */

enum wire_block_type { WIRE_EVENTS = 1, WIRE_DEFS = 2, WIRE_INDEX = 3 };
#define WIRE_BLOCK_OPTIONAL 1u /* flags: who does not know the type skips the block */

struct wire_header {
	char magic[8];
	uint32_t version;
	uint32_t header_bytes; /* the first block is here */
	uint64_t zero[2];
};

struct wire_block {
	uint32_t magic;
	uint16_t type;
	uint16_t flags;
	uint32_t body_bytes;  /* as stored */
	uint32_t raw_bytes;   /* once unpacked */
	uint32_t worker;      /* WIRE_EVENTS; else 0 */
	uint32_t seqno;	      /* 0, 1, .. for one worker */
	uint64_t first_units; /* time of the first and of the last event */
	uint64_t last_units;
	uint64_t first_id; /* ids that the worker had given out before this block */
	uint64_t offset;   /* of this header in the file */
	uint32_t n_events;
	uint32_t check; /* FNV-1a, 32 bits, of the 60 bytes before */
};

struct wire_footer {
	uint64_t index_offset;
	char magic[8];
};

_Static_assert(sizeof(struct wire_event) == 16, "wire");
_Static_assert(sizeof(struct wire_header) == 32, "wire");
_Static_assert(sizeof(struct wire_block) == 64, "wire");
_Static_assert(sizeof(struct wire_footer) == 16, "wire");
_Static_assert(WIRE_KINDS <= 32, "a kind and its variants share one byte");

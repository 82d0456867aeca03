/* SPDX-License-Identifier: MIT */
/* lock_names.c - words for what is waited for. */
#include "tools/summary/lock_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *wait_name(uint8_t what)
{
	static const char *const name[WIRE_WAITS] = {
		[WIRE_WAIT_CHILDREN] = "children",
		[WIRE_WAIT_GROUP] = "group",
		[WIRE_WAIT_TEAM] = "barrier",
		[WIRE_WAIT_DEPEND] = "dependences",
		[WIRE_WAIT_OBJECT] = "lock",
		[WIRE_WAIT_NAMED] = "task or bit",
		[WIRE_WAIT_BAG] = "tasks",
		[WIRE_WAIT_BARRIER] = "barrier",
		[WIRE_WAIT_MUTEX] = "mutex",
		[WIRE_WAIT_RWLOCK] = "rwlock",
		[WIRE_WAIT_COND] = "condition",
		[WIRE_WAIT_SEM] = "semaphore",
		[WIRE_WAIT_THREAD] = "thread",
		[WIRE_WAIT_THREADS] = "thread barrier",
		[WIRE_WAIT_ADDRESS] = "oneTBB's own",
		[WIRE_WAIT_FUTURE] = "future",
		[WIRE_WAIT_WORD] = "word",
		[WIRE_WAIT_FUTEX] = "futex",
		[WIRE_WAIT_MESSAGE] = "message",
		[WIRE_WAIT_DEVICE] = "device",
	};

	return what < WIRE_WAITS && name[what] ? name[what] : "?";
}

const char *lock_what(const struct lock *lock)
{
	return lock->what == WIRE_WAIT_NAMED ? "bit" : wait_name(lock->what);
}

/* Names that say what it is. */
static bool is_whole(const char *name, const char *what)
{
	return strncmp(name, "critical", 8) == 0 || strcmp(name, "ordered") == 0 ||
	       strstr(name, what);
}

/* The address of a full/empty word, which is a multiple of 8, and 1 are for its being emptied. */
static bool is_emptied(const struct lock *lock)
{
	return (lock->what == WIRE_WAIT_WORD || lock->what == WIRE_WAIT_NAMED) &&
	       (lock->object & 7) == 1;
}

char *lock_name(char *out, size_t room, const struct sites *sites, const struct lock *lock)
{
	const char *what = lock_what(lock), *state = is_emptied(lock) ? ", emptied" : "", *name;
	uint64_t address = lock->object - is_emptied(lock);

	if (lock->n_objects > 1)
		snprintf(out, room, "%s (%" PRIu64 " more)", what, lock->n_objects);
	else if (!(name = sites_object(sites, address)))
		snprintf(out, room, "%s 0x%" PRIx64 "%s", what, address, state);
	else
		snprintf(out, room, "%s%s%s%s", is_whole(name, what) ? "" : what,
			 is_whole(name, what) ? "" : " ", name, state);
	return out;
}

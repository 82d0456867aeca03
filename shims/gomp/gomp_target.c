/* SPDX-License-Identifier: MIT */
/*
 * gomp_target.c - target constructs.
 *
 * Where the program has no device, libgomp calls the host's code of a construct: with `nowait` from
 * a task that it makes, else within the call.  Either way it copies or passes on an array with the
 * address of each mapped variable.  Ours has two words before the program's, which the kinds call
 * values, so that nobody reads where they point.  [target.c, gomp_target_fallback(),
 * copy_firstprivate_data(); task.c, gomp_create_target_task()]
 *
 * Where there may be a device, libgomp looks for its code by the address of the host's, so that
 * nothing is put in between: of such a construct only the dependences are known.
 */
#include "shims/gomp/gomp_long.h"

#include "shims/common/copy.h"

#include "preload/poison.h"

GOMP_IN_TARGET(CALL_WRAPPER)

enum { /* gomp-constants.h */
       GOMP_TARGET_FLAG_NOWAIT = 1,
       GOMP_DEVICE_HOST_FALLBACK = -2,
       GOMP_MAP_FIRSTPRIVATE_INT = 13,
};

struct maps {
	size_t n;
	void **address;
	size_t *bytes;
	unsigned short *kind;
};

/* What comes before the program's maps. */
enum { OURS_FN, OURS_ID, OURS };

static size_t maps_room(size_t n)
{
	return (n + OURS) * (sizeof(void *) + sizeof(size_t) + sizeof(unsigned short));
}

static struct maps maps_lay(char *room, const struct maps *maps, gomp_fn fn, record_id id)
{
	struct maps all = { .n = maps->n + OURS, .address = (void **)room };

	all.bytes = (size_t *)(all.address + all.n);
	all.kind = (unsigned short *)(all.bytes + all.n);
	all.address[OURS_FN] = (void *)(uintptr_t)fn;
	all.address[OURS_ID] = (void *)(uintptr_t)id; /* NOLINT: a number */
	for (int i = 0; i < OURS; i++) {
		all.bytes[i] = sizeof(void *);
		all.kind[i] = GOMP_MAP_FIRSTPRIVATE_INT;
	}
	if (maps->n) {
		copy_bytes(all.address + OURS, maps->address, maps->n * sizeof(*maps->address));
		copy_bytes(all.bytes + OURS, maps->bytes, maps->n * sizeof(*maps->bytes));
		copy_bytes(all.kind + OURS, maps->kind, maps->n * sizeof(*maps->kind));
	}
	return all;
}

/* The host's code of a construct. */
static void target_run(void *data)
{
	void **at = data;
	gomp_fn fn = (gomp_fn)(uintptr_t)at[OURS_FN];
	struct worker *worker = record_worker();

	if (!worker) {
		fn(at + OURS);
		return;
	}
	struct stay stay = stay_begin(worker, (record_id)(uintptr_t)at[OURS_ID]);

	fn(at + OURS);
	stay_end(&stay);
}

/* Whether the host is all there is for it.  [target.c, resolve_device()] */
static bool is_of_host(const struct gomp *gomp, int device)
{
	int n = gomp->omp_get_num_devices ? gomp->omp_get_num_devices() : 1;

	return n == 0 || device == GOMP_DEVICE_HOST_FALLBACK || device >= n;
}

static void target_depends(struct worker *worker, const struct callsite *callsite, unsigned flags,
			   void **depend)
{
	if (flags & GOMP_TARGET_FLAG_NOWAIT)
		gomp_create_empty(worker, callsite, depend);
	else
		gomp_wait_depend(worker, callsite, depend);
}

/*
 * On a device: a construct that waits first runs other tasks meanwhile, inside its call, and then
 * perhaps the host's code, which may make calls.  So the wait is done before, where it can be
 * bracketed, and libgomp finds nothing left to wait for.  (libgomp before GCC 9 has no such call.)
 */
static void on_device(struct worker *worker, const struct callsite *callsite, unsigned flags,
		      void **depend)
{
	bool waits = !(flags & GOMP_TARGET_FLAG_NOWAIT);

	if (!depend || (waits && !gomp_of(callsite)->GOMP_taskwait_depend))
		return;
	target_depends(worker, callsite, flags, depend);
	struct gomp_await_stay await = gomp_await_leave(callsite, worker, 0);

	if (waits)
		gomp_of(callsite)->GOMP_taskwait_depend(depend);
	gomp_await_return(&await);
}

/* False: there is no memory. */
static bool on_host(struct callsite *callsite, struct worker *worker, int device, gomp_fn fn,
		    const struct maps *maps, unsigned flags, void **depend, void **args)
{
	struct omp_aside *aside = omp_aside_open(worker, NULL);
	char *room = aside ? omp_aside_room(aside, maps_room(maps->n)) : NULL;

	if (!room)
		return false;
	record_id id = record_create(
		worker, callsite->site,
		WIRE_TASK_TARGET | (flags & GOMP_TARGET_FLAG_NOWAIT ? 0 : WIRE_TASK_UNDEFERRED));
	struct maps all = maps_lay(room, maps, fn, id);

	if (depend)
		gomp_depends(worker, depend);
	struct gomp_await_stay await = gomp_await_leave(callsite, worker, id);

	gomp_of(callsite)->GOMP_target_ext(device, target_run, all.n, all.address, all.bytes,
					   all.kind, flags, depend, args);
	omp_aside_close(worker, aside);
	gomp_await_return(&await);
	return true;
}

void GOMP_target_ext(int device, gomp_fn fn, GOMP_MAPS, unsigned flags, void **depend, void **args)
{
	struct callsite *callsite = CALLSITE(gomp, GOMP_target_ext, fn);
	struct worker *worker = gomp_worker(callsite);
	struct maps maps = { mapnum, hostaddrs, sizes, kinds };

	bool host = worker && is_of_host(gomp_of(callsite), device);

	if (host && on_host(callsite, worker, device, fn, &maps, flags, depend, args))
		return;
	if (worker && !host)
		on_device(worker, callsite, flags, depend);
	gomp_of(callsite)->GOMP_target_ext(device, fn, mapnum, hostaddrs, sizes, kinds, flags,
					   depend, args);
}

/* Constructs without code: they copy, and wait. */
#define COPIES(name, parameters, arguments)                                                        \
	WRAP(gomp, depend ? gomp_worker(callsite) : NULL, gomp_await_leave(callsite, worker, 0),   \
	     gomp_await_return(&stay), void, name, parameters, arguments, target_depends, flags,   \
	     depend)

COPIES(GOMP_target_update_ext, (int device, GOMP_MAPS, unsigned flags, void **depend),
       (device, mapnum, hostaddrs, sizes, kinds, flags, depend));
COPIES(GOMP_target_enter_exit_data, (int device, GOMP_MAPS, unsigned flags, void **depend),
       (device, mapnum, hostaddrs, sizes, kinds, flags, depend));

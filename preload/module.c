/* SPDX-License-Identifier: MIT */
/* module.c - which files the program's code came from: path, build-id and place in memory. */
#include "preload/module.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "collector/session/processor.h"
#include "preload/session.h"

/* is_loaded, besides 0; the second only during a scan, of what it has met */
enum { LOADED = 1, SCANNED };

static _Atomic uint64_t n_unloads; /* changed with the lock held */

static void note_build_id(struct session_module *module, const ElfW(Phdr) * phdr, uint64_t bias)
{
	const char *note = (const char *)(bias + phdr->p_vaddr); /* NOLINT: an address */
	const char *end = note + phdr->p_memsz;

	while (note + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *head = (const void *)note;
		const char *name = note + sizeof(*head);
		const char *body = name + ((head->n_namesz + 3u) & ~3u);

		if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 &&
		    memcmp(name, "GNU", 4) == 0 && body + head->n_descsz <= end &&
		    head->n_descsz <= sizeof(module->build_id)) {
			memcpy(module->build_id, body, head->n_descsz);
			module->build_id_bytes = head->n_descsz;
			return;
		}
		note = body + ((head->n_descsz + 3u) & ~3u);
	}
}

static const char *module_path(const struct dl_phdr_info *info, char *room, size_t room_bytes)
{
	if (info->dlpi_name && info->dlpi_name[0])
		return info->dlpi_name;
	ssize_t n = readlink("/proc/self/exe", room, room_bytes - 1);

	if (n < 0) { /* no /proc; then as it was called */
		const char *called = (const char *)getauxval(AT_EXECFN);

		return called ? called : "";
	}
	room[n] = 0;
	return room;
}

/*
 * Whether the file that is loaded is the one that is known.  Build ids tell; without them paths,
 * but for the program's own, which may change while it runs.
 */
static bool module_is_same(const struct session *session, const struct session_module *known,
			   const struct session_module *module, const char *path)
{
	if (known->start != module->start || known->end != module->end ||
	    known->bias != module->bias || known->build_id_bytes != module->build_id_bytes)
		return false;
	if (known->build_id_bytes)
		return memcmp(known->build_id, module->build_id, known->build_id_bytes) == 0;
	return !path[0] || !known->path || strcmp(session_said(session, known->path), path) == 0;
}

static int scan_one(struct dl_phdr_info *info, size_t info_bytes, void *data)
{
	struct session *session = data;
	struct session_module module = { .start = UINT64_MAX,
					 .bias = info->dlpi_addr,
					 .is_loaded = SCANNED };
	uint32_t n = atomic_load_explicit(&session->n_modules, memory_order_relaxed);
	static char room[PATH_MAX]; /* the lock is held, and the stack may be small */

	(void)info_bytes;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + phdr->p_vaddr;

		if (phdr->p_type == PT_NOTE)
			note_build_id(&module, phdr, info->dlpi_addr);
		if (phdr->p_type != PT_LOAD)
			continue;
		if (start < module.start)
			module.start = start;
		if (start + phdr->p_memsz > module.end)
			module.end = start + phdr->p_memsz;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct session_module *known = &session->module[i];

		if (!module_is_same(session, known, &module,
				    info->dlpi_name ? info->dlpi_name : ""))
			continue;
		known->is_loaded = SCANNED;
		return 0;
	}
	if (module.end == 0 || n == SESSION_MODULES)
		return 0;
	module.path = session_keep(session, module_path(info, room, sizeof(room)));
	if (shared_reserve(&session->module[n], sizeof(module))) {
		session->module[n] = module;
		atomic_store_explicit(&session->n_modules, n + 1, memory_order_release);
	}
	return 0;
}

void module_scan(struct session *session)
{
	bool gone = false;

	dl_iterate_phdr(scan_one, session);
	for (uint32_t i = 0; i < atomic_load(&session->n_modules); i++) {
		struct session_module *module = &session->module[i];

		gone |= module->is_loaded == LOADED;
		module->is_loaded = module->is_loaded == SCANNED ? LOADED : 0;
	}
	atomic_fetch_add(&n_unloads, gone);
}

uint64_t module_unloads(void)
{
	return atomic_load_explicit(&n_unloads, memory_order_relaxed);
}

uint32_t module_of(const struct session *session, uint64_t address)
{
	for (uint32_t i = atomic_load_explicit(&session->n_modules, memory_order_acquire); i > 0;
	     i--) {
		const struct session_module *module = &session->module[i - 1];

		if (module->is_loaded && address >= module->start && address < module->end)
			return i;
	}
	return 0;
}

/* module_of(), of code that may have been loaded since. */
static uint32_t module_at(struct session *session, uint64_t address)
{
	uint32_t module = module_of(session, address);

	if (module)
		return module;
	module_scan(session);
	return module_of(session, address);
}

/* "libomp" is libomp.so.5 and libomp5.so, but neither libomptarget.so nor libompl.so. */
static bool is_name_of(const char *name, const char *file)
{
	size_t length = strlen(name);

	return strncmp(file, name, length) == 0 &&
	       (name[length - 1] == '_' || file[length] < 'a' || file[length] > 'z');
}

bool module_is_named(struct session *session, uint64_t address, const char *const *names)
{
	uint32_t module = module_at(session, address);
	const char *path = module ? session_said(session, session->module[module - 1].path) : "";
	const char *slash = strrchr(path, '/');

	while (*names && !is_name_of(*names, slash ? slash + 1 : path))
		names++;
	return *names;
}

bool module_is_runtimes(struct session *session, uint64_t address)
{
	static const char *const names[] = { "libtpshim_",  "libtpprobe_", "libtptrace",
					     "libgomp",	    "libomp",	   "libiomp",
					     "libtbb",	    "libqthread",  "libmyth",
					     "libstarpu",   "libcilkrts",  "libabt",
					     "libopencilk", NULL };

	return module_is_named(session, address, names);
}

/*
 * Whether the call that returns there names its function, as a library does with its own and with
 * those that it is linked to: call or bl with a place in the module, of the function or its entry
 * in the table.  By a pointer it calls the program's code, which may end with a jump to a function
 * that then returns there.
 */
static bool calls_by_name(const struct session_module *module, uint64_t returns_to)
{
	uint64_t to;

	return processor_calls((const uint8_t *)returns_to, &to) && /* NOLINT: an address */
	       (!to || (to >= module->start && to < module->end));
}

bool record_runtime_calls(uintptr_t return_address)
{
	struct session *session = session_lock();
	bool calls = module_is_runtimes(session, return_address) &&
		     calls_by_name(&session->module[module_of(session, return_address) - 1],
				   return_address);

	session_unlock(session);
	return calls;
}

uint32_t session_add_site(struct session *session, const struct session_site *site)
{
	uint32_t n = atomic_load(&session->n_sites) + 1; /* 0 is kept free */

	if (module_at(session, site->return_address) && site->function)
		module_at(session, site->function);
	if (n >= SESSION_SITES || !shared_reserve(&session->site[n], sizeof(session->site[n])))
		return 0;
	session->site[n] = *site;
	session->site[n].return_module = module_of(session, site->return_address);
	session->site[n].function_module = module_of(session, site->function);
	atomic_store_explicit(&session->n_sites, n, memory_order_release);
	return n;
}

/* How many modules the loader has taken away since the program began. */
static int count_unloaded(struct dl_phdr_info *info, size_t info_bytes, void *data)
{
	if (info_bytes >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs))
		*(uint64_t *)data = info->dlpi_subs;
	return 1;
}

uint64_t record_unloads(void)
{
	static uint64_t n_seen;
	struct session *session = session_lock();
	int saved = errno;
	uint64_t n = 0;

	dl_iterate_phdr(count_unloaded, &n);
	if (n != n_seen && atomic_load(&session->n_modules))
		module_scan(session);
	n_seen = n;
	n = n_unloads;
	session_unlock(session);
	errno = saved;
	return n;
}

uint32_t record_module(uintptr_t address)
{
	struct session *session = session_lock();
	uint32_t module = module_of(session, address);

	if (!module && atomic_load(&session->n_modules)) {
		module_scan(session);
		module = module_of(session, address);
	}
	session_unlock(session);
	return module;
}

bool record_site_stands(uint32_t site)
{
	struct session *session = session_lock();
	const struct session_site *known = &session->site[site % SESSION_SITES];
	bool stands = site > atomic_load(&session->n_sites) ||
		      (known->return_module == module_of(session, known->return_address) &&
		       known->function_module == module_of(session, known->function));

	session_unlock(session);
	return stands;
}

void record_bypass(const char *path)
{
	struct session *session = session_lock();
	uint32_t n = atomic_load(&session->n_bypassing), i = 0;

	while (i < n && strcmp(session_said(session, session->bypassing[i]), path) != 0)
		i++;
	if (i == n && n < SESSION_BYPASSING) {
		session->bypassing[n] = session_keep(session, path);
		atomic_store(&session->n_bypassing, n + 1);
	}
	session_unlock(session);
}

/* SPDX-License-Identifier: MIT */
/* module.c - which files the program's code came from: path, build-id and place in memory. */
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "preload/session.h"

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

static int scan_one(struct dl_phdr_info *info, size_t info_bytes, void *data)
{
	struct session *session = data;
	struct session_module module = { .start = UINT64_MAX, .bias = info->dlpi_addr };
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
	for (uint32_t i = 0; i < n; i++)
		if (session->module[i].start == module.start &&
		    session->module[i].end == module.end)
			return 0;
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
	dl_iterate_phdr(scan_one, session);
}

const struct session_module *module_of(struct session *session, uint64_t address)
{
	uint32_t n = atomic_load_explicit(&session->n_modules, memory_order_acquire);

	for (uint32_t i = n; i-- > 0;)
		if (address >= session->module[i].start && address < session->module[i].end)
			return &session->module[i];
	return NULL;
}

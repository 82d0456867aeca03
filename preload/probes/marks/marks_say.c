/* SPDX-License-Identifier: MIT */
/* marks_say.c - the page, and the modules of the addresses on it. */
#include "preload/probes/marks/marks_say.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct marks_page *page;

/* The path is one of /proc: the command holds the file open, and it has no other name. */
bool marks_say_open(void)
{
	const char *path = getenv(MARKS_VARIABLE);
	int saved = errno, fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *at = fd < 0 ? MAP_FAILED
			  : mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	page = at == MAP_FAILED ? NULL : at;
	errno = saved;
	return page != NULL;
}

/* dl_iterate_phdr() asks it of each module, with the loader's lock on their list; 1: it is this
 * one. */
static int place_in(struct dl_phdr_info *info, size_t bytes, void *into)
{
	struct marks_place *place = into;
	uint64_t offset = place->address - info->dlpi_addr;
	const char *name = info->dlpi_name;
	ssize_t n;

	(void)bytes;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type != PT_LOAD || offset - part->p_vaddr >= part->p_memsz)
			continue;
		place->bias = info->dlpi_addr;
		if (*name && strlen(name) < sizeof(place->path)) {
			strcpy(place->path, name);
		} else if (!*name) { /* the program itself */
			n = readlink("/proc/self/exe", place->path, sizeof(place->path) - 1);
			place->path[n > 0 ? n : 0] = '\0';
		}
		return 1;
	}
	return 0;
}

/* Off the program's way: this is done once for each place that is wrong. */
static void place_set(struct marks_place *place, const void *address)
{
	place->address = (uintptr_t)address;
	if (address)
		dl_iterate_phdr(place_in, place);
}

/* The same was found before. */
static bool is_known(enum marks_wrong what, uintptr_t at)
{
	uint32_t n = atomic_load(&page->n_found);

	for (uint32_t i = 0; i < n && i < MARKS_WRONGS; i++) {
		struct marks_found *found = &page->found[i];

		if (!atomic_load_explicit(&found->is_set, memory_order_acquire) ||
		    found->what != what || found->at.address != at)
			continue;
		atomic_fetch_add(&found->n, 1);
		return true;
	}
	return false;
}

void marks_say(enum marks_wrong what, const void *at, const void *other)
{
	uint32_t n;

	atomic_fetch_add(&page->n_wrong, 1);
	if (is_known(what, (uintptr_t)at))
		return;
	n = atomic_fetch_add(&page->n_found, 1);
	if (n >= MARKS_WRONGS)
		return;
	page->found[n].what = what;
	page->found[n].n = 1;
	place_set(&page->found[n].at, at);
	place_set(&page->found[n].other, other);
	atomic_store_explicit(&page->found[n].is_set, 1, memory_order_release);
}

void marks_say_count(bool is_task)
{
	atomic_fetch_add(is_task ? &page->n_tasks : &page->n_marks, 1);
}

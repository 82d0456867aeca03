/* SPDX-License-Identifier: MIT */
/*
 * bypass.c - libraries whose calls of a runtime would not come by the shims, for every shim.
 *
 * With RTLD_DEEPBIND a library is bound to its own dependencies before anything that is preloaded.
 * Once it is loaded, what it would get of this shim without the flag is put into its slots, if the
 * shim leads on to the very function that is there now.  A library in a namespace of its own
 * (dlmopen) has a libc of its own, and none of its calls may come here; nor may those of another
 * instance of a runtime.  The recorder is told of such libraries, and of those whose constructors
 * may have called a runtime, through a slot that was bound already.
 *
 * Each shim sees to what it exports, the last one first: the calls below lead through all of them.
 * libc looks who calls it, to find a library by the caller's own path, so that what is not looked
 * at is a jump.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/module.h"
#include "shims/common/bypass.h"
#include "shims/common/linkage.h"
#include "shims/common/variadic.h"

#define FILES 64u /* of one load, that others may be needed by */
#define SLOTS 32u /* that are seen to at once */

extern const char __ehdr_start __attribute__((visibility("hidden")));

/* The slot of a function that this shim exports, in a file that has another one there. */
struct slot {
	void **at;
	const char *name, *path; /* of the function, of the file */
	void *ours;
	bool is_own;	/* the function there is the file's own: it is the runtime */
	bool exact;	/* one of several versions may be meant */
	bool is_stub;	/* it is not bound yet */
	bool read_only; /* since the file was bound */
	bool constructs;
};

struct look {
	struct linkage own;
	const struct link_map *first; /* that came with a handle; NULL: whatever is loaded */
	bool apart;		      /* in a namespace of its own */
	bool found;		      /* the first one */
	struct {
		const ElfW(Dyn) * dynamic;
		const char *text;
	} file[FILES]; /* the first one, and what that needs */
	struct slot slot[SLOTS];
	uint32_t n_files, n_slots;
	uint32_t n_seen, n_skip; /* slots; so many that cannot be changed come first */
};

static _Atomic bool passed; /* a library was loaded deeply, and not looked at */

/* libc's, or those of the next shim; NULL: not looked for yet */
static void *(*_Atomic real)(const char *, int);
static void *(*_Atomic real_into)(Lmid_t, const char *, int);

static void bind(void)
{
	void *into = dlsym(RTLD_NEXT, "dlmopen"), *load = dlsym(RTLD_NEXT, "dlopen");

	atomic_store(&real_into, (void *(*)(Lmid_t, const char *, int))into);
	atomic_store(&real, (void *(*)(const char *, int))load);
}

/* ---- with the loader's list held: nothing of the loader's is called ---- */

static bool is_needed(const struct look *look, const struct linkage *file, const char *path)
{
	const char *base = strrchr(path, '/'), *name = linkage_text(file, DT_SONAME, 0), *needed;

	if (!name)
		name = base ? base + 1 : path;
	for (uint32_t i = 0; i < look->n_files; i++) {
		const struct linkage by = { .dynamic = look->file[i].dynamic,
					    .text = look->file[i].text };

		for (size_t n = 0; (needed = linkage_text(&by, DT_NEEDED, n)); n++)
			if (strcmp(needed, name) == 0 || strcmp(needed, path) == 0)
				return true;
	}
	return false;
}

static void add_slot(struct look *look, struct slot slot)
{
	const ElfW(Sym) *symbol = linkage_defines(&look->own, slot.name);
	const uint16_t *version = look->own.version;

	if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !*slot.at)
		return;
	slot.ours = (void *)(look->own.bias + symbol->st_value); /* NOLINT: an address */
	slot.exact = version && (version[symbol - look->own.symbol] & 0x7fff) > 1;
	if (*slot.at != slot.ours && ++look->n_seen > look->n_skip && look->n_slots < SLOTS)
		look->slot[look->n_slots++] = slot;
}

static void add_file(struct look *look, const struct linkage *file, const char *path,
		     const struct segment *code, const struct segment *relro)
{
	if (look->first && look->n_files && !is_needed(look, file, path))
		return;
	if (look->first && look->n_files < FILES) {
		look->file[look->n_files].dynamic = file->dynamic;
		look->file[look->n_files++].text = file->text;
	}
	bool constructs = linkage_constructs(file);

	for (int table = 0; table < 2; table++) {
		for (size_t i = 0; i < file->relocations[table].n; i++) {
			const ElfW(Sym) * symbol;
			struct slot slot = { .path = path, .constructs = constructs };

			slot.at = linkage_slot(file, &file->relocations[table].first[i], &symbol);
			if (!slot.at)
				continue;
			slot.name = file->text + symbol->st_name;
			slot.is_own = symbol->st_shndx != SHN_UNDEF;
			slot.is_stub = segment_has(code, (uintptr_t)*slot.at) &&
				       (!slot.is_own ||
					(uintptr_t)*slot.at != file->bias + symbol->st_value);
			slot.read_only = segment_has(relro, (uintptr_t)slot.at);
			add_slot(look, slot);
		}
	}
}

/* The loader lists no other namespace than ours; a handle is a link in the list of its own. */
static int look_apart(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	static const struct segment none;
	struct look *look = arg;
	struct linkage file;

	for (const struct link_map *map = look->first; map; map = map->l_next)
		if (linkage_open(&file, map->l_addr, map->l_ld))
			add_file(look, &file, map->l_name, &none, &none);
	return 1;
}

static int look_here(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct segment code = { UINTPTR_MAX, 0, NULL }, relro = { 0 };
	const ElfW(Dyn) *dynamic = NULL;
	struct look *look = arg;
	struct linkage file;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + phdr->p_vaddr, end = at + phdr->p_memsz;

		if (phdr->p_type == PT_DYNAMIC)
			dynamic = (const void *)at;    /* NOLINT: an address */
		else if (phdr->p_type == PT_GNU_RELRO) /* whole pages, as the loader has it */
			relro = (struct segment){ at / page * page, end / page * page, NULL };
		else if (phdr->p_type == PT_LOAD && at < code.start)
			code.start = at;
		if (phdr->p_type == PT_LOAD && end > code.end)
			code.end = end;
	}
	look->found |= !look->first || dynamic == look->first->l_ld;
	if (look->found && dynamic != look->own.dynamic &&
	    linkage_open(&file, info->dlpi_addr, dynamic))
		add_file(look, &file, info->dlpi_name, &code, &relro);
	return 0;
}

/* ---- without ---- */

static bool slot_put(const struct slot *slot)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *start = (void *)((uintptr_t)slot->at / page * page); /* NOLINT: an address */

	if (slot->read_only && mprotect(start, page, PROT_READ | PROT_WRITE) < 0)
		return false;
	__atomic_store_n(slot->at, slot->ours, __ATOMIC_RELEASE);
	if (slot->read_only)
		mprotect(start, page, PROT_READ);
	return true;
}

/* A path that is too long is cut. */
static void tell_constructors(const char *path)
{
	static const char said[] = " (its constructors, if they made any)";
	char text[1024];
	size_t n = 0;

	for (; path[n] && n < sizeof(text) - sizeof(said); n++)
		text[n] = path[n];
	for (size_t i = 0; i < sizeof(said); i++)
		text[n + i] = said[i];
	record_bypass(text);
}

/*
 * Puts our function there, if it leads on to the one that is; or tells of the file.  What libc has,
 * too, is no runtime's: some of it is a wait that is not seen.
 */
static bool slot_settle(const struct look *look, const struct slot *slot, void *handle, void *libc)
{
	void *next = dlsym(RTLD_NEXT, slot->name), *is = *slot->at;

	if (slot->is_stub && !handle)
		return false;
	if (slot->is_stub)
		is = dlsym(handle, slot->name);
	if (handle && !look->apart && is && (!next || is == next) &&
	    !(slot->exact && slot->is_stub) && slot_put(slot)) {
		if (slot->constructs && !slot->is_stub && !slot->is_own && !dlsym(libc, slot->name))
			tell_constructors(slot->path);
		return true;
	}
	if (!slot->is_own && dlsym(RTLD_DEFAULT, slot->name) == slot->ours &&
	    !dlsym(libc, slot->name))
		record_bypass(slot->path);
	return false;
}

/* Of what came with the handle, or of all that is loaded. */
static void see_to(void *handle, bool apart)
{
	static void *_Atomic libc;
	struct look look = { .first = handle, .apart = apart };
	int saved = errno;

	if (!atomic_load(&libc))
		atomic_store(&libc, dlopen("libc.so.6", RTLD_NOLOAD | RTLD_LAZY));
	linkage_open(&look.own, (uintptr_t)&__ehdr_start, _DYNAMIC);
	do {
		look.found = false;
		look.n_files = look.n_slots = look.n_seen = 0;
		dl_iterate_phdr(apart ? look_apart : look_here, &look);
		for (uint32_t i = 0; i < look.n_slots; i++)
			look.n_skip +=
				!slot_settle(&look, &look.slot[i], handle, atomic_load(&libc));
	} while (look.n_slots == SLOTS);
	dlerror(); /* what was not found is none of the program's business */
	errno = saved;
}

void bypass_look_again(void)
{
	if (atomic_exchange(&passed, false))
		see_to(NULL, false);
}

static void bypass_pass(void)
{
	static _Atomic bool known;

	atomic_store(&passed, true);
	if (!atomic_exchange(&known, true))
		atexit(bypass_look_again);
}

/* Whether libc may find another library by that name for another caller. */
static bool needs_caller(const char *name, const void *from)
{
	Dl_info info;
	void *map = NULL;
	struct linkage file;

	if (strchr(name, '$'))
		return true;
	if (strchr(name, '/') || !dladdr1(from, &info, &map, RTLD_DL_LINKMAP) || !map)
		return false;
	if (info.dli_fname && strstr(info.dli_fname, "/libtpshim_"))
		return false;
	return linkage_open(&file, ((struct link_map *)map)->l_addr,
			    ((struct link_map *)map)->l_ld) &&
	       (linkage_text(&file, DT_RUNPATH, 0) || linkage_text(&file, DT_RPATH, 0));
}

/* ---- the calls: whom each of them jumps to, so that its caller is libc's, too ---- */

static void *load_deep(const char *name, int flags)
{
	void *handle = atomic_load(&real)(name, flags);

	if (handle)
		see_to(handle, false);
	return handle;
}

static void *load_deep_into(Lmid_t space, const char *name, int flags)
{
	void *handle = atomic_load(&real_into)(space, name, flags);

	if (handle)
		see_to(handle, space != LM_ID_BASE);
	return handle;
}

/* Whether a library that is loaded so is looked at; if not now, since libc has to be called by the
 * program's own code, then later. */
static bool is_seen_to(const char *name, const void *from)
{
	if (!name)
		return false;
	if (!needs_caller(name, from))
		return true;
	bypass_pass();
	return false;
}

VARIADIC_TO(bypass_load);
const void *bypass_load(void *from, const uintptr_t *arguments)
{
	const char *name = (const char *)arguments[0];
	bool is_deep = arguments[1] & RTLD_DEEPBIND;

	if (!atomic_load(&real))
		bind();
	return is_deep && is_seen_to(name, from) ? (void *)load_deep : (void *)atomic_load(&real);
}

VARIADIC_TO(bypass_load_into);
const void *bypass_load_into(void *from, const uintptr_t *arguments)
{
	const char *name = (const char *)arguments[1];
	bool is_deep = (Lmid_t)arguments[0] != LM_ID_BASE || arguments[2] & RTLD_DEEPBIND;

	if (!atomic_load(&real_into))
		bind();
	return is_deep && is_seen_to(name, from) ? (void *)load_deep_into
						 : (void *)atomic_load(&real_into);
}

VARIADIC(dlopen, bypass_load);
VARIADIC(dlmopen, bypass_load_into);

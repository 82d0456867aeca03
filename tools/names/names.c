/* SPDX-License-Identifier: MIT */
/* names.c - which module has an address, whether its file can be believed, and past answers. */
#define _GNU_SOURCE 1 /* asprintf() */
#include "tools/names/names.h"

#include <dlfcn.h>
#include <errno.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/names/debugfile.h"
#include "tools/names/fortran.h"
#include "tools/names/image.h"
#include "tools/names/scopes.h"
#include "tools/names/shorten.h"
#include "tools/base/base_name.h"

#define MANGLED_MAX 4096u /* a longer name isn't demangled: it could grow without bound */

struct module {
	uint64_t start, end, bias;
	uint32_t number;
	char *path;  /* as declared */
	char *found; /* where its file was found, if not there */
	struct build_id id;
	struct image *image; /* NULL: not opened yet, or there's none */
	int is_opened, is_looked_at, is_stale;
};

struct answer {
	uint64_t address;
	struct name name;
	uint32_t module;
	uint8_t is_used, is_return_address;
};

struct names {
	struct module *module;
	uint32_t n_modules, room_modules, n_declared;
	struct answer *answer; /* a hash table, at most half full */
	size_t n_answers, n_slots;
	char **text; /* what the answers point to */
	size_t n_texts, room_texts;
	char *roots;
	void *libstdcxx;
	char *(*demangle)(const char *mangled, char *out, size_t *n, int *status);
	int tried_demangle;
};

int names_open(struct names **out)
{
	const char *path = getenv("TPTRACE_DEBUG_PATH");
	struct names *names = calloc(1, sizeof(*names));

	*out = NULL;
	if (!names)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	if (asprintf(&names->roots, "%s:/usr/lib/debug", path ? path : "") < 0) {
		free(names);
		return -ENOMEM;
	}
	*out = names;
	return 0;
}

void names_free(struct names *names)
{
	if (!names)
		return;
	for (uint32_t i = 0; i < names->n_modules; i++) {
		image_free(names->module[i].image);
		free(names->module[i].path);
		free(names->module[i].found);
	}
	for (size_t i = 0; i < names->n_texts; i++)
		free(names->text[i]);
	free(names->module);
	free(names->answer);
	free(names->text);
	free(names->roots);
	if (names->libstdcxx)
		dlclose(names->libstdcxx);
	free(names);
}

static int grow_modules(struct names *names)
{
	uint32_t room = names->room_modules ? 2 * names->room_modules : 16;
	struct module *more;

	if (names->n_modules < names->room_modules)
		return 0;
	more = reallocarray(names->module, room, sizeof(*more));
	if (!more)
		return -ENOMEM;
	names->module = more;
	names->room_modules = room;
	return 0;
}

int names_module(struct names *names, uint64_t start, uint64_t end, uint64_t bias, const char *path,
		 const char *build_id)
{
	struct module module = {
		.start = start, .end = end, .bias = bias, .number = ++names->n_declared
	};

	if (start >= end || build_id_parse(&module.id, build_id))
		return -EINVAL;
	module.path = strdup(path);
	if (!module.path || grow_modules(names)) {
		free(module.path);
		return -ENOMEM;
	}
	names->module[names->n_modules++] = module;
	if (names->n_answers) /* they may be this module's now */
		memset(names->answer, 0, names->n_slots * sizeof(*names->answer));
	names->n_answers = 0;
	return 0;
}

static int fd_if_same(int fd, const struct build_id *id)
{
	struct build_id of_fd;

	if (fd < 0)
		return fd;
	build_id_read(&of_fd, fd);
	if (build_id_same(&of_fd, id))
		return fd;
	close(fd);
	return -ESTALE;
}

/* A file with the module's build id, or without one to compare; -ESTALE: the path has another. */
static int module_file(struct module *module, const char *roots)
{
	int at_path = debugfile_open(module->path);
	int fd = -ENOENT;

	if (!module->id.n_bytes)
		return at_path;
	at_path = fd_if_same(at_path, &module->id);
	if (at_path >= 0)
		return at_path;
	fd = debugfile_by_id(roots, &module->id, "", &module->found);
	if (fd < 0)
		fd = debugfile_by_id(roots, &module->id, ".debug", &module->found);
	if (fd < 0)
		fd = fd_if_same(debugfile_vdso(), &module->id);
	return fd < 0 ? at_path : fd;
}

/* Its file; < 0: there is none that is the recorded one. */
static int module_look(struct module *module, const char *roots)
{
	int fd = module_file(module, roots);

	module->is_looked_at = 1;
	module->is_stale = module->id.n_bytes && (fd == -ESTALE || fd == -ENOEXEC);
	return fd;
}

static void module_open(struct module *module, const char *roots)
{
	int fd = module_look(module, roots);

	module->is_opened = 1;
	if (fd >= 0)
		image_open(&module->image, fd, module->found ? module->found : module->path, roots);
}

static struct module *module_at(struct names *names, uint32_t number, uint64_t address)
{
	for (uint32_t i = names->n_modules; i-- > 0;) {
		struct module *module = &names->module[i];

		if (module->start <= address && address < module->end &&
		    (!number || module->number == number))
			return module;
	}
	return NULL;
}

/* libstdc++'s, if this machine has it: we link none. */
static void load_demangle(struct names *names)
{
	names->tried_demangle = 1;
	names->libstdcxx = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	if (names->libstdcxx)
		*(void **)&names->demangle = dlsym(names->libstdcxx, "__cxa_demangle");
}

/* Keeps a text for as long as the names are there; NULL stays NULL. */
static const char *keep(struct names *names, char *text)
{
	if (text && names->n_texts == names->room_texts) {
		size_t room = names->room_texts ? 2 * names->room_texts : 64;
		char **more = reallocarray(names->text, room, sizeof(*more));

		if (!more) {
			free(text);
			return NULL;
		}
		names->text = more;
		names->room_texts = room;
	}
	if (text)
		names->text[names->n_texts++] = text;
	return text;
}

/* malloc'd; NULL: it is not mangled, or nobody here can read it. */
static char *demangle(struct names *names, const char *mangled)
{
	int status;

	if (strlen(mangled) > MANGLED_MAX)
		return NULL;
	if (!names->tried_demangle)
		load_demangle(names);
	return names->demangle ? names->demangle(mangled, NULL, NULL, &status) : NULL;
}

static const char *readable(struct names *names, const char *function)
{
	char *text =
		strncmp(function, "_Z", 2) ? fortran_name(function) : demangle(names, function);
	const char *shorter = keep(names, shorten_function(text ? text : function));

	free(text);
	return shorter ? shorter : function;
}

/* A lambda whose own name DWARF does not have: by the function around it. */
static const char *lambda_of(struct names *names, const char *owner)
{
	char *text;

	/* as a demangled name has it: of main, and of what is extern "C", without () */
	if (asprintf(&text, "%s%s::{lambda}", readable(names, owner),
		     strncmp(owner, "_Z", 2) == 0 ? "()" : "") < 0)
		text = NULL;
	return keep(names, text);
}

/* The user's name of a function: of what a compiler made of one, that one's. */
static void name_function(struct names *names, struct image *image, uint64_t pc,
			  const struct image_frame *frame, struct name *name)
{
	const char *function = frame->function;
	bool several = false;

	name->file = frame->file;
	name->line = frame->line;
	if (!function)
		return;
	if (*function == '.' && frame->file)
		function = image_around(image, pc, frame->file, frame->line, &several);
	name->is_nameless = !function || *function == '.' || several;
	if (!function)
		function = frame->function;
	if (frame->owner && strncmp(function, "_Z", 2) != 0)
		name->function = lambda_of(names, frame->owner);
	else
		name->function = readable(names, function);
}

/* Where a function begins. */
static void name_begin(struct names *names, struct image *image, uint64_t pc, struct name *name)
{
	struct image_frame frame[IMAGE_FRAMES];
	uint32_t line;
	const char *code;

	frame[0] = frame[image_frames(image, pc, frame) - 1];
	frame[0].file = image_line(image, pc, 1, &frame[0].line);
	if (frame[0].file && scopes_is_header(frame[0].file)) {
		code = image_code(image, pc, &line);
		name->in_header = !code;
		frame[0].file = code ? code : frame[0].file;
		frame[0].line = code ? line : frame[0].line;
	}
	name_function(names, image, pc, &frame[0], name);
}

/* A function of the user's, at a line of a header's: what was inlined there is not always told. */
static bool take_declared(struct image *image, uint64_t pc, struct image_frame *frame)
{
	uint32_t line;
	const char *file = image_declared(image, pc, &line);

	if (!file || scopes_is_header(file))
		return false;
	frame->file = file;
	frame->line = line;
	return true;
}

/* Anywhere else: in the innermost function that is not a library's. */
static void name_inside(struct names *names, struct image *image, uint64_t pc, struct name *name)
{
	struct image_frame frame[IMAGE_FRAMES];
	uint32_t n = image_frames(image, pc, frame), i = 0;

	while (i + 1 < n && (!frame[i].file || scopes_is_header(frame[i].file)))
		i++;
	if (frame[i].file && scopes_is_header(frame[i].file))
		name->in_header = !take_declared(image, pc, &frame[i]);
	name->header = i ? frame[i - 1].file : NULL;
	name_function(names, image, pc, &frame[i], name);
	if (i + 1 < n && frame[n - 1].function)
		name->around = readable(names, frame[n - 1].function);
}

static struct name look_up(struct names *names, uint32_t number, uint64_t address,
			   int is_return_address)
{
	uint64_t pc = address - !!is_return_address;
	struct module *module = address ? module_at(names, number, pc) : NULL;
	struct name name = { 0 };
	uint64_t start = 0;

	if (!module) {
		name.offset = address;
		return name;
	}
	name.module = module->path;
	name.offset = address - module->bias;
	if (!module->is_opened)
		module_open(module, names->roots);
	if (!module->image)
		return name;
	pc -= module->bias;
	if (!image_function(module->image, pc, &start))
		start = image_begin(module->image, pc);
	name.function_begin = start ? start + module->bias : 0;
	if (name.function_begin && start == pc)
		name_begin(names, module->image, pc, &name);
	else
		name_inside(names, module->image, pc, &name);
	return name;
}

/* gcc: .gomp_critical_user_NAME; clang: .gomp_critical_user_NAME.var; malloc'd, NULL: is none. */
static char *critical_of(const char *symbol)
{
	static const char prefix[] = ".gomp_critical_user_";
	size_t n = sizeof(prefix) - 1, bytes = strlen(symbol);
	char *text;

	if (strncmp(symbol, prefix, n) != 0)
		return NULL;
	if (bytes >= n + 4 && strcmp(symbol + bytes - 4, ".var") == 0)
		bytes -= 4;
	if (bytes == n)
		return strdup("critical");
	return asprintf(&text, "critical(%.*s)", (int)(bytes - n), symbol + n) < 0 ? NULL : text;
}

const char *names_object(struct names *names, uint64_t address)
{
	struct module *module = address ? module_at(names, 0, address) : NULL;
	const char *symbol;
	char *text;
	uint64_t start;

	if (module && !module->is_opened)
		module_open(module, names->roots);
	symbol = module && module->image
			 ? image_object(module->image, address - module->bias, &start)
			 : NULL;
	if (!symbol)
		return NULL;
	text = critical_of(symbol);
	if (text)
		return keep(names, text);
	symbol = readable(names, symbol);
	start += module->bias;
	if (start == address)
		return symbol;
	if (asprintf(&text, "%s+0x%llx", symbol, (unsigned long long)(address - start)) < 0)
		return symbol;
	return keep(names, text);
}

struct name names_task(struct names *names, const char *type)
{
	struct name name = { 0 };
	char *text = demangle(names, type), *task = text ? shorten_task(text) : NULL;

	if (text && !task)
		task = shorten_type(text);
	name.function = keep(names, task);
	free(text);
	return name;
}

struct name names_extent(struct names *names, const char *path, const char *function,
			 uint32_t *last_line)
{
	struct name name = { 0 };

	for (uint32_t i = 0; i < names->n_modules && !name.file; i++) {
		struct module *module = &names->module[i];

		if (strcmp(module->path, path) != 0)
			continue;
		if (!module->is_opened)
			module_open(module, names->roots);
		if (module->image)
			name.file = image_extent(module->image, function, &name.line, last_line);
		name.module = module->path;
	}
	return name;
}

/* Where the answer is, or would go. */
static struct answer *slot_of(struct answer *slot, size_t n_slots, const struct answer *key)
{
	size_t i = (size_t)(key->address * 0x9e3779b97f4a7c15u >> 20) & (n_slots - 1);

	while (slot[i].is_used &&
	       (slot[i].address != key->address || slot[i].module != key->module ||
		slot[i].is_return_address != key->is_return_address))
		i = (i + 1) & (n_slots - 1);
	return &slot[i];
}

static int grow_answers(struct names *names)
{
	size_t n_slots = names->n_slots ? 2 * names->n_slots : 256;
	struct answer *slot;

	if (2 * (names->n_answers + 1) <= names->n_slots)
		return 0;
	slot = calloc(n_slots, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	for (size_t i = 0; i < names->n_slots; i++) {
		const struct answer *old = &names->answer[i];

		if (old->is_used)
			*slot_of(slot, n_slots, old) = *old;
	}
	free(names->answer);
	names->answer = slot;
	names->n_slots = n_slots;
	return 0;
}

struct name names_in(struct names *names, uint32_t module, uint64_t address, int is_return_address)
{
	struct answer *slot, answer = { .address = address,
					.module = module,
					.is_used = 1,
					.is_return_address = !!is_return_address };

	if (grow_answers(names))
		return look_up(names, module, address, is_return_address);
	slot = slot_of(names->answer, names->n_slots, &answer);
	if (!slot->is_used) {
		answer.name = look_up(names, module, address, is_return_address);
		*slot = answer;
		names->n_answers++;
	}
	return slot->name;
}

const char *names_say(struct names *names, const struct name *name)
{
	const char *base = path_base(name->module);
	char *text;

	if (name->function)
		return name->function;
	if (asprintf(&text, "%s%s0x%llx", base ? base : "", base ? "+" : "",
		     (unsigned long long)name->offset) < 0)
		text = NULL;
	return keep(names, text);
}

const char *names_numbered(struct names *names, const char *function, uint32_t number)
{
	char *text;

	if (asprintf(&text, "%s #%u", function, number) < 0)
		return function;
	text = (char *)keep(names, text);
	return text ? text : function;
}

void names_compare(struct names *names, uint32_t module)
{
	for (uint32_t i = 0; i < names->n_modules; i++) {
		struct module *at = &names->module[i];
		int fd = at->number == module && !at->is_looked_at ? module_look(at, names->roots)
								   : -1;

		if (fd >= 0)
			close(fd);
	}
}

const char *names_stale(const struct names *names, uint32_t i)
{
	for (uint32_t m = 0; m < names->n_modules; m++)
		if (names->module[m].is_stale && i-- == 0)
			return names->module[m].path;
	return NULL;
}

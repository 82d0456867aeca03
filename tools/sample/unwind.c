/* SPDX-License-Identifier: MIT */
/* unwind.c - follows a stack by rules that libdw reads from modules. */
#include "tools/sample/unwind.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/trace/grow.h"
#include "tools/names/debugfile.h"
#include "tools/sample/sample_machine.h"

#define RULES_MOST (1u << 20)

enum rule_kind {
	RULE_UNKNOWN, /* the chain is cut here */
	RULE_LAST,    /* nobody called this */
	RULE_STEP,
};

struct unwind_rule {
	enum rule_kind kind;
	bool from_bp;	   /* the frame is at bp + offset, else at sp + offset */
	bool saves_bp;	   /* the caller's is at the frame + bp_offset, else bp still has it */
	int32_t offset;	   /* bytes */
	int32_t bp_offset; /* bytes */
	uint32_t module;   /* 1 + its number; 0: none */
};

struct unwind_module {
	bool tried;
	int fd; /* of elf, if that is there */
	Elf *elf;
	Dwarf_CFI *cfi; /* NULL: it has none, or its file is another one now */
};

/* ---- modules ---- */

static uint32_t count_modules(const struct session *session)
{
	uint32_t n = atomic_load_explicit(&session->n_modules, memory_order_acquire);

	return n > SESSION_MODULES ? SESSION_MODULES : n;
}

/* 1 + the number of the module that has the address; 0: none. */
static uint32_t module_of(const struct session *session, uint64_t pc, uint32_t n)
{
	while (n > 0) {
		const struct session_module *module = &session->module[n - 1];

		if (module->is_loaded && module->start <= pc && pc < module->end)
			return n;
		n--;
	}
	return 0;
}

/* Whether the file is the one that the process mapped. */
static bool is_same(Elf *elf, const struct session_module *module)
{
	const void *id;
	ssize_t n = dwelf_elf_gnu_build_id(elf, &id);

	if (!module->build_id_bytes || module->build_id_bytes > sizeof(module->build_id))
		return true;
	return n == (ssize_t)module->build_id_bytes && memcmp(id, module->build_id, (size_t)n) == 0;
}

static void open_module(struct unwind_module *to, const struct session_module *module,
			const struct session *session, int pid)
{
	const char *name = session_said(session, module->path);
	char path[PATH_MAX];
	struct stat st;

	to->tried = true;
	/* as the process sees it, which may be in a container */
	if (snprintf(path, sizeof(path), "/proc/%d/root%s", pid, name) >= (int)sizeof(path))
		return;
	if (*name == '/')
		to->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	else /* the kernel's own has no file: it is the same in each process */
		to->fd = module->build_id_bytes ? debugfile_vdso() : -1;
	if (to->fd < 0)
		return;
	elf_version(EV_CURRENT);
	/* not mapped: a file that is written anew meanwhile would be SIGBUS for all clients */
	if (fstat(to->fd, &st) == 0 && S_ISREG(st.st_mode))
		to->elf = elf_begin(to->fd, ELF_C_READ, NULL);
	if (to->elf && is_same(to->elf, module))
		to->cfi = dwarf_getcfi_elf(to->elf);
	if (to->elf)
		return;
	close(to->fd);
}

static void close_module(struct unwind_module *module)
{
	if (module->cfi)
		dwarf_cfi_end(module->cfi);
	if (module->elf) {
		elf_end(module->elf);
		close(module->fd);
	}
}

/* ---- rules ---- */

/* Where the caller's register is, from the frame on: 1 and *offset, 0 if it is as it was, or -1. */
static int saved_at(Dwarf_Frame *frame, int number, int32_t *offset)
{
	Dwarf_Op room[3], *op;
	size_t n;

	if (dwarf_frame_register(frame, number, room, &op, &n) != 0)
		return -1;
	if (n == 0 && !op)
		return 0;
	if (n == 0 || op[0].atom != DW_OP_call_frame_cfa)
		return -1;
	*offset = 0;
	if (n == 2 && op[1].atom == DW_OP_plus_uconst)
		*offset = (int32_t)op[1].number;
	return n == 1 || (n == 2 && op[1].atom == DW_OP_plus_uconst) ? 1 : -1;
}

/* Undefined: the outermost frame. */
static bool is_outermost(Dwarf_Frame *frame)
{
	Dwarf_Op room[3], *op;
	size_t n;

	return dwarf_frame_register(frame, MACHINE_DWARF_RETURN, room, &op, &n) == 0 && n == 0 &&
	       op != NULL;
}

/* A shim's, whose caller's address lies aside (shims/common/aside.c): tasks begin above it. */
static bool is_aside(Dwarf_Frame *frame)
{
	Dwarf_Op room[3], *op;
	size_t n;

	return dwarf_frame_register(frame, MACHINE_DWARF_RETURN, room, &op, &n) == 0 && n == 2 &&
	       op[0].atom == DW_OP_call_frame_cfa && op[1].atom == DW_OP_breg3;
}

static enum rule_kind rule_of_frame(struct unwind_rule *rule, Dwarf_Frame *frame)
{
	Dwarf_Op *op;
	size_t n;
	int32_t at = 0;
	int saved;

	if (is_outermost(frame) || is_aside(frame))
		return RULE_LAST;
	if (dwarf_frame_cfa(frame, &op, &n) != 0 || n != 1)
		return RULE_UNKNOWN;
	if (op->atom != DW_OP_bregx ||
	    (op->number != MACHINE_DWARF_BP && op->number != MACHINE_DWARF_SP))
		return RULE_UNKNOWN;
	rule->from_bp = op->number == MACHINE_DWARF_BP;
	rule->offset = (int32_t)op->number2;
	if (saved_at(frame, MACHINE_DWARF_RETURN, &at) != 1 || at != -(int32_t)sizeof(uint64_t))
		return RULE_UNKNOWN;
	saved = saved_at(frame, MACHINE_DWARF_BP, &rule->bp_offset);
	rule->saves_bp = saved == 1;
	return saved < 0 ? RULE_UNKNOWN : RULE_STEP;
}

static struct unwind_rule read_rule(struct unwinder *unwinder, uint64_t pc)
{
	const struct session *session = unwinder->session;
	struct unwind_rule rule = { .module = module_of(session, pc, unwinder->n_modules) };
	struct unwind_module *module;
	const struct session_module *from;
	Dwarf_Frame *frame = NULL;

	if (!rule.module || !MACHINE_UNWINDS)
		return rule;
	module = &unwinder->module[rule.module - 1];
	from = &session->module[rule.module - 1];
	if (!module->tried)
		open_module(module, from, session, unwinder->pid);
	if (module->cfi && dwarf_cfi_addrframe(module->cfi, pc - from->bias, &frame) == 0)
		rule.kind = rule_of_frame(&rule, frame);
	free(frame);
	return rule;
}

static void forget_rules(struct unwinder *unwinder)
{
	intern_free(&unwinder->known);
	for (uint32_t i = 0; i < unwinder->n_modules; i++)
		close_module(&unwinder->module[i]);
	free(unwinder->module);
	unwinder->module = NULL;
	unwinder->n_modules = 0;
}

/* A library was loaded: addresses may be in other files now. */
static void see_modules(struct unwinder *unwinder)
{
	uint32_t n = count_modules(unwinder->session);

	if (n == unwinder->n_modules)
		return;
	forget_rules(unwinder);
	unwinder->module = calloc(n, sizeof(*unwinder->module));
	unwinder->n_modules = unwinder->module ? n : 0;
}

static struct unwind_rule rule_at(struct unwinder *unwinder, uint64_t pc)
{
	uint32_t n = unwinder->known.n;
	uint32_t i = intern_number(&unwinder->known, pc, 0, RULES_MOST);

	if (i < n)
		return unwinder->rule[i];
	if (i != INTERN_NONE && !grow(&unwinder->rule, i, 1, sizeof(*unwinder->rule))) {
		intern_free(&unwinder->known); /* its last number has no rule */
		return (struct unwind_rule){ 0 };
	}
	struct unwind_rule rule = read_rule(unwinder, pc);

	if (i != INTERN_NONE)
		unwinder->rule[i] = rule;
	return rule;
}

/* ---- a stack ---- */

static bool word_at(const struct unwind_start *start, uint64_t address, uint64_t *word)
{
	uint64_t at = address - start->sp;

	if (start->bytes < sizeof(*word) || at > start->bytes - sizeof(*word))
		return false;
	memcpy(word, start->stack + at, sizeof(*word));
	return true;
}

/* From one frame to its caller's; false if it cannot be followed. */
static bool unwind_step(const struct unwind_rule *rule, const struct unwind_start *start,
			struct unwind_start *at)
{
	uint64_t frame, sp = at->sp;

	if (rule->from_bp && !at->has_bp)
		return false;
	frame = (rule->from_bp ? at->bp : sp) + (uint64_t)(int64_t)rule->offset;
	if (frame <= sp || !word_at(start, frame - sizeof(uint64_t), &at->ip))
		return false;
	if (rule->saves_bp)
		at->has_bp = word_at(start, frame + (uint64_t)(int64_t)rule->bp_offset, &at->bp);
	at->sp = frame;
	return true;
}

uint32_t unwind(struct unwinder *unwinder, const struct unwind_start *start,
		struct unwind_frame frame[UNWIND_FRAMES], bool *cut)
{
	struct unwind_start at = *start;
	uint32_t n = 0;

	see_modules(unwinder);
	*cut = false;
	while (n < UNWIND_FRAMES) {
		/* a call may be the last instruction of its function */
		uint64_t pc = n ? at.ip - 1 : at.ip;
		struct unwind_rule rule = rule_at(unwinder, pc);

		frame[n++] = (struct unwind_frame){ pc, rule.module };
		if (rule.kind == RULE_LAST)
			break;
		*cut = rule.kind != RULE_STEP || !unwind_step(&rule, start, &at);
		if (*cut || at.ip == 0)
			break;
	}
	return n;
}

size_t unwind_code(struct unwinder *unwinder, const struct unwind_frame *frame, size_t before,
		   uint8_t *code, size_t n)
{
	const struct unwind_module *module = NULL;
	uint64_t at = frame->pc - before;
	size_t n_segments;
	GElf_Phdr segment;

	if (frame->module && frame->module <= unwinder->n_modules) {
		module = &unwinder->module[frame->module - 1];
		at -= unwinder->session->module[frame->module - 1].bias;
	}
	if (!module || !module->elf || elf_getphdrnum(module->elf, &n_segments) != 0)
		return 0;
	for (size_t i = 0; i < n_segments; i++)
		if (gelf_getphdr(module->elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
		    segment.p_vaddr <= at && at + before < segment.p_vaddr + segment.p_filesz) {
			ssize_t got = pread(module->fd, code, n,
					    (off_t)(segment.p_offset + (at - segment.p_vaddr)));

			return got > 0 ? (size_t)got : 0;
		}
	return 0;
}

void unwind_free(struct unwinder *unwinder)
{
	forget_rules(unwinder);
	free(unwinder->rule);
	*unwinder = (struct unwinder){ 0 };
}

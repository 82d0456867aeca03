/* SPDX-License-Identifier: MIT */
/* insn.c - decodes the instructions of x86-64 that wait for memory. */
#include "tools/sample/insn.h"

#include <string.h>

#define LONGEST 15u
#define NO_REG INSN_REGS

/* Opcodes have their map above the byte: 0x0f.. is 0x100 + byte, 0x0f38 0x200, 0x0f3a 0x300. */
struct decoded {
	unsigned opcode, bytes;
	bool lock, mem, foreign; /* foreign: an address that the registers do not tell */
	uint8_t reg, rm;	 /* rm: a register, unless mem */
	uint8_t base, index, shift;
	int64_t disp;
	int64_t jump; /* of a jump: from its end on */
};

struct reader_at {
	const uint8_t *at, *end;
	uint8_t rex;
	bool wide, bad; /* wide: prefix 66, an immediate has 2 bytes */
};

static unsigned take_byte(struct reader_at *in)
{
	if (in->at < in->end)
		return *in->at++;
	in->bad = true;
	return 0;
}

static int64_t take_signed(struct reader_at *in, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)take_byte(in) << 8 * i;
	return (int64_t)(value << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

static unsigned take_prefixes(struct reader_at *in, struct decoded *d)
{
	for (;;) {
		unsigned byte = take_byte(in);

		if (byte == 0xf0)
			d->lock = true;
		else if (byte == 0x64 || byte == 0x65 || byte == 0x67)
			d->foreign = true;
		else if (byte == 0x66)
			in->wide = true;
		else if (byte != 0xf2 && byte != 0xf3 && byte != 0x2e && byte != 0x3e) {
			if ((byte & 0xf0) != 0x40)
				return byte;
			in->rex = (uint8_t)byte;
			return take_byte(in);
		}
		if (in->bad)
			return 0;
	}
}

/* The opcode with its map; VEX and EVEX have prefixes, REX and the map in theirs. */
static unsigned take_opcode(struct reader_at *in, struct decoded *d)
{
	unsigned byte = take_prefixes(in, d), map;

	if (byte == 0xc5) {
		in->rex = take_byte(in) & 0x80 ? 0 : 4;
		return 0x100 | take_byte(in);
	}
	if (byte == 0xc4 || byte == 0x62) {
		map = take_byte(in);
		in->rex = (uint8_t)(~map >> 5 & 7);
		take_byte(in);
		if (byte == 0x62) {
			d->foreign = true; /* its displacements are scaled */
			take_byte(in);
		}
		return (map & 3) << 8 | take_byte(in);
	}
	if (byte != 0x0f)
		return byte;
	byte = take_byte(in);
	return byte == 0x38 || byte == 0x3a ? (byte == 0x38 ? 0x200u : 0x300u) | take_byte(in)
					    : 0x100 | byte;
}

static void take_modrm(struct reader_at *in, struct decoded *d)
{
	unsigned modrm = take_byte(in), mod = modrm >> 6, rm = modrm & 7, sib;

	d->reg = (uint8_t)((modrm >> 3 & 7) | (in->rex & 4) << 1);
	d->rm = (uint8_t)(rm | (in->rex & 1) << 3);
	d->mem = mod != 3;
	d->base = d->rm;
	d->index = NO_REG;
	if (!d->mem)
		return;
	if (rm == 4) {
		sib = take_byte(in);
		d->shift = (uint8_t)(sib >> 6);
		d->index = (uint8_t)((sib >> 3 & 7) | (in->rex & 2) << 2);
		d->index = d->index == 4 ? NO_REG : d->index;
		d->base = (uint8_t)((sib & 7) | (in->rex & 1) << 3);
		rm = sib & 7;
		if (mod == 0 && rm == 5)
			d->base = NO_REG;
	} else if (mod == 0 && rm == 5) {
		d->base = NO_REG + 1; /* rip */
	}
	d->disp = mod == 1			      ? take_signed(in, 1)
		  : mod == 2 || (mod == 0 && rm == 5) ? take_signed(in, 4)
						      : 0;
}

/* ---- opcodes ---- */

static bool is_one_of(unsigned opcode, const uint8_t *list, size_t n)
{
	return memchr(list, (int)(opcode & 0xff), n) != NULL;
}
#define ONE_OF(opcode, ...)                                                                        \
	is_one_of(opcode, (const uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }))

/* add, or, adc, sbb, and, sub, xor, cmp */
static bool is_arithmetic(unsigned op)
{
	return op < 0x40 && (op & 7) < 4;
}

static bool has_modrm(unsigned op)
{
	if (op >= 0x200)
		return true;
	if (op >= 0x100)
		return !ONE_OF(op, 0x05, 0x0b, 0x31, 0x77, 0xa0, 0xa1, 0xa2, 0xa8, 0xa9) &&
		       (op & 0xf0) != 0x80 && (op & 0xf8) != 0xc8;
	return is_arithmetic(op) || (op & 0xf8) == 0xd8 || (op & 0xfc) == 0xd0 ||
	       (op >= 0x80 && op <= 0x8f) ||
	       ONE_OF(op, 0x63, 0x69, 0x6b, 0xc0, 0xc1, 0xc6, 0xc7, 0xf6, 0xf7, 0xfe, 0xff);
}

static bool is_short_jump(unsigned op)
{
	return (op & ~0xfu) == 0x70 || op == 0xeb;
}

/* Without one. */
static bool is_known_bare(unsigned op)
{
	if (op >= 0x100)
		return !ONE_OF(op, 0xa0, 0xa1, 0xa8, 0xa9);
	return (op < 0x40 && (op & 6) == 4) || is_short_jump(op) || (op >= 0x50 && op < 0x60) ||
	       (op >= 0x90 && op <= 0x99) || (op >= 0xb0 && op < 0xc0) ||
	       ONE_OF(op, 0x68, 0x6a, 0xa4, 0xa5, 0xa8, 0xa9, 0xaa, 0xab, 0xc3, 0xc9, 0xcc, 0xe8,
		      0xe9, 0xf4);
}

/* Bytes of an immediate, after the opcode and its modrm. */
static unsigned immediate_bytes(unsigned op, const struct decoded *d, const struct reader_at *in)
{
	unsigned full = in->wide ? 2 : 4;

	if ((op & ~7u) == 0xb8)
		return in->rex & 8 ? 8 : full;
	if ((op < 0x40 && (op & 7) == 4) || op == 0xa8 || op == 0x6a || op >= 0x300 ||
	    (op & ~7u) == 0xb0 || (op < 0x100 && ONE_OF(op, 0x6b, 0x80, 0x83, 0xc0, 0xc1, 0xc6)) ||
	    (op >= 0x100 && op < 0x200 && ONE_OF(op, 0x70, 0xa4, 0xac, 0xba, 0xc2, 0xc4, 0xc6)))
		return 1;
	if (op == 0xe8 || op == 0xe9)
		return 4;
	if ((op < 0x40 && (op & 7) == 5) || op == 0xa9 || op == 0x68 || op == 0x69 || op == 0x81 ||
	    op == 0xc7)
		return full;
	if ((op == 0xf6 || op == 0xf7) && (d->reg & 7) < 2)
		return op == 0xf6 ? 1 : full;
	return 0;
}

/* False if it is not known, or has more bytes than there are. */
static bool decode(struct decoded *d, const uint8_t *code, size_t n)
{
	struct reader_at in = { .at = code, .end = code + n };
	unsigned op;

	*d = (struct decoded){ .base = NO_REG, .index = NO_REG };
	op = d->opcode = take_opcode(&in, d);
	if (has_modrm(op))
		take_modrm(&in, d);
	else if (!is_known_bare(op))
		return false;
	if (is_short_jump(op))
		d->jump = take_signed(&in, 1);
	else if ((op & ~0xfu) == 0x180)
		d->jump = take_signed(&in, 4);
	else
		for (unsigned i = immediate_bytes(op, d, &in); i > 0; i--)
			take_byte(&in);
	d->bytes = (unsigned)(in.at - code);
	return !in.bad && d->bytes <= LONGEST;
}

/* cmp, test and bt. */
static bool only_compares(const struct decoded *d)
{
	unsigned op = d->opcode;

	return (op < 0x40 && (op & 0x38) == 0x38) || op == 0x84 || op == 0x85 || op == 0xa8 ||
	       op == 0xa9 || op == 0x1a3 || ((op & ~3u) == 0x80 && (d->reg & 7) == 7) ||
	       ((op == 0xf6 || op == 0xf7) && (d->reg & 7) < 2);
}

/* It puts what it has read into a register. */
static bool only_loads(const struct decoded *d)
{
	unsigned op = d->opcode;

	if (op < 0x100)
		return (is_arithmetic(op) && op & 2) || ONE_OF(op, 0x63, 0x69, 0x6b, 0x8a, 0x8b);
	return op >= 0x200 || ((op & ~0xfu) != 0x190 &&
			       !ONE_OF(op, 0x11, 0x13, 0x17, 0x29, 0x2b, 0x7f, 0xab, 0xb0, 0xb1,
				       0xb3, 0xba, 0xbb, 0xc0, 0xc1, 0xc7, 0xd6, 0xe7));
}

static enum defs_op op_of(const struct decoded *d)
{
	unsigned op = d->opcode;

	if (op == 0x105)
		return DEFS_SYSCALL;
	/* lea, calls, pushes, prefetches, x87 */
	if (!d->mem || op == 0x8d || (op == 0xff && (d->reg & 7) > 1) || op == 0x11f ||
	    op == 0x118 || op == 0x10d || (op & ~7u) == 0xd8)
		return DEFS_OTHER;
	if (d->lock || op == 0x86 || op == 0x87)
		return DEFS_ATOMIC;
	return only_compares(d) || only_loads(d) ? DEFS_LOAD : DEFS_STORE;
}

static struct insn insn_of(const struct decoded *d, enum defs_op op, uint64_t end)
{
	bool from_rip = d->base == NO_REG + 1;

	return (struct insn){
		.op = op,
		.has_word = d->mem && !d->foreign && (d->base < NO_REG || from_rip),
		.base = from_rip ? NO_REG : d->base,
		.index = d->index,
		.shift = d->shift,
		.disp = d->disp + (from_rip ? (int64_t)end : 0),
	};
}

/* ---- what ends where the thread stands ---- */

/* Its registers are no general ones. */
static bool is_vector(unsigned op)
{
	return (op >= 0x110 && op < 0x118) || (op > 0x150 && op < 0x177) ||
	       (op >= 0x1d0 && op < 0x200 && op != 0x1d7);
}

/* A load changes the register that its address came from: it is not known any more. */
static bool overwrites_address(const struct decoded *d, enum defs_op op)
{
	bool to_reg = (op == DEFS_LOAD && !only_compares(d)) ||
		      (op == DEFS_ATOMIC && (d->opcode == 0x86 || d->opcode == 0x87 ||
					     d->opcode == 0x1c0 || d->opcode == 0x1c1));

	return to_reg && d->opcode < 0x1c2 && !is_vector(d->opcode) &&
	       (d->reg == d->base || d->reg == d->index);
}

/*
 * How long the instruction is that ends at `at`; 0: it is not known.  Decoders that begin at any
 * byte before it are soon in step with the processor: most of them say so.
 */
static unsigned bytes_before(const uint8_t *at, size_t before)
{
	unsigned votes[LONGEST + 1] = { 0 }, most = 0;

	for (size_t from = before; from >= 1; from--) {
		const uint8_t *i = at - from;
		struct decoded d = { .bytes = 0 };

		while (i < at && decode(&d, i, (size_t)(at - i)))
			i += d.bytes;
		if (i == at)
			votes[d.bytes]++;
	}
	for (unsigned n = 1; n <= LONGEST; n++)
		if (votes[n] && votes[n] >= votes[most])
			most = n;
	return most;
}

/* It jumps, or writes what its modrm does not name: rax and rdx, or the register in VEX. */
static bool does_more(const struct decoded *d)
{
	unsigned op = d->opcode;

	return (op == 0xff && (d->reg & 7) > 1) || ((op | 1) == 0xf7 && (d->reg & 7) > 3) ||
	       op == 0x1b0 || op == 0x1b1 || op == 0x1c7 || op == 0x2f3 || op == 0x2f6;
}

/* Whether it goes on to the next one and leaves the register alone, for certain. */
static bool keeps(const struct decoded *d, unsigned reg)
{
	unsigned op = d->opcode;

	if (!has_modrm(op)) /* but for a constant and rax these jump, or move the stack */
		return op < 0x40 && (op & 6) == 4 && reg != 0;
	if (does_more(d))
		return false;
	return only_compares(d) || is_vector(op) || (d->reg != reg && (d->mem || d->rm != reg));
}

/* What is loaded is stored again before any jump: the load is what waits for the line. */
static bool stores_again(const struct insn *load, uint64_t pc, const uint8_t *at, size_t after)
{
	struct decoded d;

	for (const uint8_t *i = at; decode(&d, i, (size_t)(at + after - i)); i += d.bytes) {
		enum defs_op op = op_of(&d);
		struct insn next = insn_of(&d, op, pc + (uint64_t)(i - at) + d.bytes);

		if (op == DEFS_STORE && next.has_word && next.base == load->base &&
		    next.index == load->index && next.shift == load->shift &&
		    next.disp == load->disp)
			return true;
		if (!keeps(&d, load->base) || !keeps(&d, load->index))
			return false;
	}
	return false;
}

static struct insn insn_before(uint64_t pc, const uint8_t *at, size_t before, size_t after)
{
	unsigned n = bytes_before(at, before);
	struct insn found = { .op = DEFS_OTHER };
	struct decoded d;

	if (!n || !decode(&d, at - n, n))
		return found;
	found = insn_of(&d, op_of(&d), pc);
	found.has_word &= found.op != DEFS_OTHER && !overwrites_address(&d, found.op);
	if (found.op == DEFS_LOAD && found.has_word && stores_again(&found, pc, at, after))
		found.op = DEFS_STORE;
	return found;
}

/* ---- loops that wait ---- */

static uint32_t bit_of(unsigned reg)
{
	return reg < NO_REG ? UINT32_C(1) << reg : 0;
}

/* The register that it changes, NO_REG, or -1: no loop that waits has it. */
static int changes(const struct decoded *d)
{
	unsigned op = d->opcode;

	if (only_compares(d) || op == 0x90 || op == 0x11f || is_short_jump(op) ||
	    (op & ~0xfu) == 0x180)
		return NO_REG;
	if (d->lock)
		return -1;
	if (op == 0x8a || op == 0x8b || op == 0x63 || op == 0x1b6 || op == 0x1b7 || op == 0x1be ||
	    op == 0x1bf)
		return d->reg;
	if ((op == 0x88 || op == 0x89) && !d->mem)
		return d->rm;
	/* and with a constant: the same again and again */
	if ((op & ~3u) == 0x80 && !d->mem && (d->reg & 7) == 4)
		return d->rm;
	return op == 0x24 || op == 0x25 ? 0 : -1;
}

struct loop {
	const uint8_t *from, *end;
	uint32_t written; /* registers that change in it, as bits */
};

/* Whether each instruction may be in a loop that waits; *passes_at: one begins at `at`. */
static bool read_loop(struct loop *loop, const uint8_t *at, bool *passes_at)
{
	struct decoded d;

	*passes_at = false;
	for (const uint8_t *i = loop->from; i < loop->end; i += d.bytes) {
		int changed = decode(&d, i, (size_t)(loop->end - i)) ? changes(&d) : -1;

		if (changed < 0 || (d.opcode == 0xeb && i + d.bytes < loop->end))
			return false;
		*passes_at |= i == at;
		loop->written |= bit_of((unsigned)changed);
	}
	return *passes_at;
}

/* The registers that decide what it puts into one. */
static uint32_t reads(const struct decoded *d)
{
	if (d->mem)
		return bit_of(d->base) | bit_of(d->index);
	if (changes(d) == (int)NO_REG)
		return 0;
	return bit_of(d->opcode == 0x88 || d->opcode == 0x89 ? d->reg : d->rm);
}

/* Whether it loads the same each time; *word is the first of its loads whose address is known. */
static bool loads_the_same(const struct loop *loop, uint64_t from_pc, struct insn *word)
{
	uint32_t now = 0; /* written in this turn */
	bool loads = false;
	struct decoded d;

	for (const uint8_t *i = loop->from; i < loop->end; i += d.bytes) {
		decode(&d, i, (size_t)(loop->end - i));
		/* from the turn before: a list that is followed, say */
		if (reads(&d) & loop->written & ~now)
			return false;
		if (d.mem && d.opcode != 0x11f) {
			loads = true;
			if (word->op == DEFS_OTHER || !word->has_word)
				*word = insn_of(&d, DEFS_SPIN,
						from_pc + (uint64_t)(i - loop->from) + d.bytes);
			word->has_word &= !(reads(&d) & loop->written);
		}
		now |= bit_of((unsigned)changes(&d));
	}
	return loads;
}

/* The loop around an address that ends with a jump back after it, if it only waits. */
static struct insn insn_loop(uint64_t pc, const uint8_t *at, size_t before, size_t after)
{
	for (const uint8_t *jump = at; jump + 2 <= at + after; jump++) {
		struct loop loop = { .end = jump + 2 };
		struct insn word = { .op = DEFS_OTHER };
		int back = (int8_t)jump[1];
		bool passes;

		if (!is_short_jump(*jump) || back >= 0 || loop.end + back > at ||
		    loop.end + back < at - before)
			continue;
		loop.from = loop.end + back;
		if (read_loop(&loop, at, &passes) &&
		    loads_the_same(&loop, pc - (uint64_t)(at - loop.from), &word))
			return word;
	}
	return (struct insn){ .op = DEFS_OTHER };
}

struct insn insn_at(uint64_t pc, const uint8_t *code, size_t before, size_t after)
{
	struct insn loop = insn_loop(pc, code + before, before, after);

	return loop.op == DEFS_SPIN ? loop : insn_before(pc, code + before, before, after);
}

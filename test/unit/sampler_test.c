/* SPDX-License-Identifier: MIT */
/*
 * sampler_test.c - a stack of this very process is followed by the rules of its file; pairs get
 * their numbers; and what --sample takes.
 */
#include "tools/sample/sampler.h"

#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <link.h>
#include <linux/perf_event.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "test/lib/test.h"

#include "tools/names/debugfile.h"
#include "tools/sample/insn.h"
#include "tools/sample/intern.h"
#include "tools/sample/rate.h"
#include "tools/sample/refused.h"
#include "tools/sample/sample_machine.h"
#include "tools/sample/sample_ring.h"
#include "tools/sample/unwind.h"

TEST(test_asked)
{
	static const char *const bad[] = { "x",	      "-1",	 "0",	     "1x",
					   "10001",   " 5",	 "timer,",   "timerx",
					   "timer,0", "timer,x", "timer,off" };
	struct sampler_asked asked;

	assert_true(sampler_ask(NULL, &asked) && asked.hz == SAMPLER_HZ_DEFAULT);
	assert_true(sampler_ask("", &asked) && asked.hz == SAMPLER_HZ_DEFAULT);
	assert_true(sampler_ask("off", &asked) && asked.hz == 0);
	assert_true(sampler_ask("10000", &asked) && asked.hz == 10000 && !asked.by_timer);
	assert_true(sampler_ask("timer", &asked) && asked.hz == SAMPLER_TIMER_HZ && asked.by_timer);
	assert_true(sampler_ask("timer,20", &asked) && asked.hz == 20 && asked.by_timer);
	assert_int_equal(sampler_timer_ns(&asked), 50000000);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (sampler_ask(bad[i], &asked))
			fail_msg("`%s` was taken", bad[i]);
}

/* Samples of any cost take at most 0.5 % of the time, unless the fewest take more. */
TEST(test_rate)
{
	assert_int_equal(rate_hz(0), RATE_HZ_MOST);
	for (uint64_t cost_ns = 100; cost_ns < 1000000; cost_ns += cost_ns / 7 + 1) {
		uint32_t hz = rate_hz(cost_ns);

		assert_in_range(hz, RATE_HZ_LEAST, RATE_HZ_MOST);
		if (hz > RATE_HZ_LEAST)
			assert_true((double)(hz * cost_ns) < .005 * 1e9);
		if (hz < RATE_HZ_MOST)
			assert_true((double)(hz * cost_ns) > .0035 * 1e9);
	}
	if (rate_cost_ns()) /* some interrupts of 100 ns to 1 ms */
		assert_in_range(rate_cost_ns(), 100, 1000000);
}

TEST(test_refused)
{
	static const struct {
		int error;
		struct refused_by by;
		const char *has;
	} cases[] = {
		{ -EACCES,
		  { 3, false },
		  "paranoid is 3: `sudo sysctl kernel.perf_event_paranoid=2`" },
		{ -EACCES, { 4, true }, "paranoid is 4" },
		{ -EPERM, { 2, true }, "seccomp" },
		{ -ENOSYS, { 2, true }, "seccomp" },
		{ -ENOSYS, { -1, false }, "CONFIG_PERF_EVENTS" },
		{ -EACCES, { 2, false }, "perf_event_open: Permission denied" },
	};
	char text[200];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		refused_say(text, sizeof(text), cases[i].error, cases[i].by);
		if (!strstr(text, cases[i].has))
			fail_msg("case %zu: %s", i, text);
	}
}

TEST(test_numbers)
{
	struct intern intern = { 0 };

	for (int again = 0; again < 2; again++)
		for (uint32_t i = 0; i < 5000; i++) {
			assert_int_equal(intern_number(&intern, (uint64_t)i << 33, i & 1, 10000),
					 2 * i);
			assert_int_equal(intern_number(&intern, (uint64_t)i << 33, 2, 10000),
					 2 * i + 1);
		}
	assert_int_equal(intern_number(&intern, 7, 7, 10000), INTERN_NONE);
	intern_free(&intern);
}

/* Code up to where a thread stands, and from there on, in one array. */
struct code_case {
	uint8_t code[24];
	size_t before, n;
	enum defs_op op;
	bool has_word;
	int base;
	int64_t disp;
};
#define PC 0x1000

static const struct code_case cases[] = {
	/* mov %eax,%ecx; lock xadd %ecx,8(%rdi) | ret */
	{ { 0x89, 0xc1, 0xf0, 0x0f, 0xc1, 0x4f, 0x08, 0xc3 }, 7, 8, DEFS_ATOMIC, true, 7, 8 },
	/* nops; xchg %eax,16(%rip) */
	{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x87, 0x05, 0x10, 0, 0, 0 },
	  12,
	  12,
	  DEFS_ATOMIC,
	  true,
	  INSN_REGS,
	  PC + 16 },
	/* addq $1,(%r12) */
	{ { 0x49, 0x83, 0x04, 0x24, 0x01 }, 5, 5, DEFS_STORE, true, 12, 0 },
	/* mov (%rdi),%eax; and mov (%rdi),%rdi, after which the address is gone */
	{ { 0x8b, 0x07 }, 2, 2, DEFS_LOAD, true, 7, 0 },
	{ { 0x48, 0x8b, 0x3f }, 3, 3, DEFS_LOAD, false, 7, 0 },
	/* cmp (%rdi),%eax; lea (%rdi),%rax; syscall */
	{ { 0x3b, 0x07 }, 2, 2, DEFS_LOAD, true, 7, 0 },
	{ { 0x48, 0x8d, 0x07 }, 3, 3, DEFS_OTHER, false, 0, 0 },
	{ { 0x0f, 0x05 }, 2, 2, DEFS_SYSCALL, false, 0, 0 },
	/* 1: pause; mov (%rdi),%eax | test %eax,%eax; je 1b */
	{ { 0xf3, 0x90, 0x8b, 0x07, 0x85, 0xc0, 0x74, 0xf8 }, 4, 8, DEFS_SPIN, true, 7, 0 },
	/* a list: 1: mov (%rax),%rax | test %rax,%rax; jne 1b */
	{ { 0x48, 0x8b, 0x00, 0x48, 0x85, 0xc0, 0x75, 0xf8 }, 3, 8, DEFS_LOAD, false, 0, 0 },
	/* an array: 1: add (%rdi),%eax | add $4,%rdi; cmp %rsi,%rdi; jne 1b */
	{ { 0x03, 0x07, 0x48, 0x83, 0xc7, 0x04, 0x48, 0x39, 0xf7, 0x75, 0xf5 },
	  2,
	  11,
	  DEFS_LOAD,
	  true,
	  7,
	  0 },
	/* stored again: mov (%rsi,%rcx,8),%rdx | add %rax,%rdx; mov %rdx,(%rsi,%rcx,8) */
	{ { 0x48, 0x8b, 0x14, 0xce, 0x48, 0x01, 0xc2, 0x48, 0x89, 0x14, 0xce },
	  4,
	  11,
	  DEFS_STORE,
	  true,
	  6,
	  0 },
	/* movsd (%rdi),%xmm7 | addsd %xmm0,%xmm7; movsd %xmm7,(%rdi) */
	{ { 0xf2, 0x0f, 0x10, 0x3f, 0xf2, 0x0f, 0x58, 0xf8, 0xf2, 0x0f, 0x11, 0x3f },
	  4,
	  12,
	  DEFS_STORE,
	  true,
	  7,
	  0 },
	/* elsewhere: mov (%rdi),%eax | add $4,%rdi; mov %eax,(%rdi) */
	{ { 0x8b, 0x07, 0x48, 0x83, 0xc7, 0x04, 0x89, 0x07 }, 2, 8, DEFS_LOAD, true, 7, 0 },
	/* mov (%rax),%ecx | mul %ecx, which changes rax; mov %ecx,(%rax) */
	{ { 0x8b, 0x08, 0xf7, 0xe1, 0x89, 0x08 }, 2, 6, DEFS_LOAD, true, 0, 0 },
	/* mov (%rax),%ecx | blsr %ecx,%eax; mov %ecx,(%rax) */
	{ { 0x8b, 0x08, 0xc4, 0xe2, 0x78, 0xf3, 0xc9, 0x89, 0x08 }, 2, 9, DEFS_LOAD, true, 0, 0 },
	/* perhaps: nops; mov 16(%rip),%eax | jne 1f; mov %eax,8(%rip); 1: */
	{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x8b, 0x05, 0x10, 0,
	    0,	  0,	0x75, 0x06, 0x89, 0x05, 0x08, 0,    0,	  0 },
	  12,
	  20,
	  DEFS_LOAD,
	  true,
	  INSN_REGS,
	  PC + 16 },
};

TEST(test_insn)
{
	uint64_t reg[INSN_REGS] = { [7] = 0x5000, [12] = 0x6000 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct code_case *want = &cases[i];
		struct insn insn = insn_at(PC, want->code, want->before, want->n - want->before);

		if (insn.op != want->op || insn.has_word != want->has_word)
			fail_msg("case %zu: op %d, word %d", i, (int)insn.op, insn.has_word);
		if (want->has_word)
			assert_int_equal(insn_word(&insn, reg),
					 (want->base < (int)INSN_REGS ? reg[want->base] : 0) +
						 (uint64_t)want->disp);
	}
}

/* A sample of a thread at `ip`, as the kernel writes it for sample_ring_open(): beside the CPU
 * clock it counts page faults. */
static uint64_t put_sample(char *to, bool in_kernel, uint64_t n_faults, uint64_t ip)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE,
					    .misc = in_kernel ? PERF_RECORD_MISC_KERNEL
							      : PERF_RECORD_MISC_USER };
	uint64_t word[2 + 3 + 1 + MACHINE_N_REGS + 1] = { ip, 1,	2,
							  1,  n_faults, PERF_SAMPLE_REGS_ABI_64 };

	word[6 + MACHINE_IP] = ip;
	header.size = sizeof(header) + sizeof(word);
	memcpy(to, &header, sizeof(header));
	memcpy(to + sizeof(header), word, sizeof(word));
	return header.size;
}

TEST(test_kernel)
{
	static const struct {
		uint64_t n_faults, ip;
		enum defs_op op;
		bool in_kernel, calls;
	} cases[] = {
		{ 1, 0x10, DEFS_STORE, true, true },  /* a fault, .. */
		{ 1, 0x10, DEFS_STORE, true, true },  /* .. which goes on */
		{ 2, 0x10, DEFS_OTHER, false, true }, /* an interrupt held off until one ends */
		{ 2, 0x10, DEFS_OTHER, false, false },
		{ 2, 0x20, DEFS_STORE, true, false }, /* an interrupt */
		{ 2, 0x20, DEFS_STORE, true, false },
		{ 2, 0x30, DEFS_SYSCALL, true, true },
		{ 2, 0x30, DEFS_SYSCALL, false, false },
		{ 3, 0x10, DEFS_OTHER, false, true }, /* two for each that was in a fault, .. */
		{ 4, 0x10, DEFS_OTHER, false, true },
		{ 4, 0x10, DEFS_OTHER, false, false },
		{ 5, 0x10, DEFS_OTHER, false, true },
		{ 6, 0x10, DEFS_OTHER, false, false }, /* .. the others: a hot loop */
		{ 9, 0x40, DEFS_OTHER, false, false }, /* faults between samples, .. */
		{ 9, 0x40, DEFS_OTHER, true, false },  /* .. and none since */
	};
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), n = 0;
	char *map = calloc(1, page + 16384);
	struct sample_ring ring = { .fd = -1, .map = map, .bytes = 16384, .counts = true };

	if (!MACHINE_UNWINDS)
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		n += put_sample(map + page + n, cases[i].in_kernel, cases[i].n_faults, cases[i].ip);
	((struct perf_event_mmap_page *)map)->data_head = n;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct insn insn = { .op = cases[i].op };
		struct sample sample;

		sample_ring_take(&ring, &sample);
		assert_int_equal(sample.what, SAMPLE_TAKEN);
		assert_int_equal(sample.at.ip, cases[i].ip);
		if (sample_calls_kernel(&sample, &insn) != cases[i].calls)
			fail_msg("case %zu", i);
	}
	free(map);
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

/* This program, as the only module of a session. */
static int describe_program(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct session *session = arg;
	struct session_module *module = &session->module[0];

	module->bias = info->dlpi_addr;
	module->start = UINT64_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uint64_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		module->start = from < module->start ? from : module->start;
		module->end = from + info->dlpi_phdr[i].p_memsz;
	}
	module->is_loaded = 1;
	module->path = 1;
	atomic_store(&session->n_modules, 1);
	return 1;
}

struct stood {
	uint64_t inner, outer; /* return addresses */
	struct unwind_frame frame[UNWIND_FRAMES];
	uint32_t n;
	bool cut;
};

/* Its own registers and stack, as a sample has them; AddressSanitizer would mind the others'. */
__attribute__((noinline, noclone, no_sanitize("address", "undefined"))) static void
stand(struct unwinder *unwinder, struct stood *stood)
{
	static char stack[SAMPLE_STACK];
	struct unwind_start at = { .has_bp = true, .stack = stack, .bytes = sizeof(stack) };

	__asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
			 : "=r"(at.ip), "=r"(at.sp), "=r"(at.bp));
	/* not memcpy(), which AddressSanitizer has a version of */
	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = ((volatile const char *)(uintptr_t)at.sp)[i];
	stood->inner = (uint64_t)(uintptr_t)__builtin_return_address(0);
	stood->n = unwind(unwinder, &at, stood->frame, &stood->cut);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline, noclone)) static void call(struct unwinder *unwinder, struct stood *stood)
{
	stood->outer = (uint64_t)(uintptr_t)__builtin_return_address(0);
	stand(unwinder, stood);
	__asm__ volatile("" ::: "memory");
}

TEST(test_unwind)
{
	struct session *session = aligned_alloc(_Alignof(struct session), sizeof(*session));
	struct unwinder unwinder = { .session = session, .pid = (int)getpid() };
	struct stood stood = { 0 };

	assert_non_null(session);
	memset(session, 0, sizeof(*session));
	/* offset 1 of the texts */
	assert_true(readlink("/proc/self/exe", session->text + 1, 4000) > 0);
	dl_iterate_phdr(describe_program, session);
	for (int again = 0; again < 2; again++) {
		call(&unwinder, &stood);
		assert_true(stood.n >= 3);
		assert_int_equal(stood.frame[0].module, 1);
		assert_int_equal(stood.frame[1].pc, stood.inner - 1);
		assert_int_equal(stood.frame[2].pc, stood.outer - 1);
	}
	/* nothing of the stack: the innermost frame remains */
	struct unwind_start bare = { .ip = stood.inner, .sp = 16, .bp = 32, .has_bp = true };

	assert_int_equal(unwind(&unwinder, &bare, stood.frame, &stood.cut), 1);
	assert_true(stood.cut);
	unwind_free(&unwinder);
	free(session);
}

/* The kernel's own code, which has no file, as the only module. */
static uint64_t describe_vdso(struct session *session)
{
	struct session_module *module = &session->module[0];
	int fd = debugfile_vdso();
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	void *vdso = dlopen("linux-vdso.so.1", RTLD_NOLOAD | RTLD_NOW);
	const void *id;
	ssize_t n = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;

	if (n > 0 && vdso && (size_t)n <= sizeof(module->build_id)) {
		module->bias = module->start = getauxval(AT_SYSINFO_EHDR);
		module->end = module->start + 16384;
		module->build_id_bytes = (uint32_t)n;
		memcpy(module->build_id, id, (size_t)n);
		module->is_loaded = module->path = 1;
		strcpy(session->text + 1, "linux-vdso.so.1");
		atomic_store(&session->n_modules, 1);
	}
	elf_end(elf);
	close(fd);
	return n > 0 && vdso ? (uint64_t)(uintptr_t)dlsym(vdso, "__vdso_clock_gettime") : 0;
}

/* A thread at the begin of its function: the caller's address is the last word of the stack. */
TEST(test_unwind_vdso)
{
	struct session *session = aligned_alloc(_Alignof(struct session), sizeof(*session));
	struct unwinder unwinder = { .session = session, .pid = (int)getpid() };
	struct unwind_frame frame[UNWIND_FRAMES];
	uint64_t stack[2] = { 0x12345, 0 };
	struct unwind_start at = { .sp = 4096,
				   .stack = (const char *)stack,
				   .bytes = sizeof(stack) };
	bool cut;

	assert_non_null(session);
	memset(session, 0, sizeof(*session));
	at.ip = describe_vdso(session);
	if (!at.ip) /* no build ID, or no such function */
		skip();
	for (int other = 0; other < 2; other++) {
		assert_int_equal(unwind(&unwinder, &at, frame, &cut), other ? 1 : 2);
		assert_int_equal(frame[0].module, 1);
		assert_true(other || frame[1].pc == 0x12344);
		unwind_free(&unwinder);
		unwinder = (struct unwinder){ .session = session, .pid = (int)getpid() };
		session->module[0].build_id[0] ^= 1; /* another kernel's */
	}
	free(session);
}
#else
TEST(test_unwind)
{
}
TEST(test_unwind_vdso)
{
}
#endif

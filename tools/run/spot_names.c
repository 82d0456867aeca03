/* SPDX-License-Identifier: MIT */
/* spot_names.c - knows the functions of libc that take locks or wait for them, and costly ones. */
#include "tools/run/spot_names.h"

#include <string.h>

enum role {
	ROLE_OTHER,
	ROLE_AWAITS,
	ROLE_LOCKS,
	ROLE_RAND,
	ROLE_ZONE, /* of time */
	ROLE_ALLOCATES,
	ROLE_YIELDS,
	ROLE_CALLS,
	ROLE_MAPS, /* memory, by the kernel */
	ROLE_THROWS,
	ROLE_FORMATS,
	ROLE_MATCHES
};

/* Names as glibc has them, without the underscores in front. */
static const struct {
	const char *name;
	enum role role;
} known[] = {
	{ "lll_lock_wait", ROLE_AWAITS },
	{ "lll_lock_wait_private", ROLE_AWAITS },
	{ "lll_lock_wake", ROLE_AWAITS },
	{ "lll_lock_wake_private", ROLE_AWAITS },
	{ "pthread_mutex_lock", ROLE_LOCKS },
	{ "pthread_mutex_unlock", ROLE_LOCKS },
	{ "pthread_mutex_unlock_usercnt", ROLE_LOCKS },
	{ "pthread_mutex_trylock", ROLE_LOCKS },
	{ "pthread_spin_lock", ROLE_LOCKS },
	{ "pthread_rwlock_rdlock", ROLE_LOCKS },
	{ "pthread_rwlock_wrlock", ROLE_LOCKS },
	{ "pthread_rwlock_tryrdlock", ROLE_LOCKS },
	{ "pthread_rwlock_trywrlock", ROLE_LOCKS },
	{ "pthread_rwlock_rdlock_full64", ROLE_LOCKS },
	{ "pthread_rwlock_rdunlock", ROLE_LOCKS },
	{ "pthread_rwlock_unlock", ROLE_LOCKS },
	{ "rand", ROLE_RAND },
	{ "random", ROLE_RAND },
	{ "tz_convert", ROLE_ZONE },
	{ "localtime", ROLE_ZONE },
	{ "localtime_r", ROLE_ZONE },
	{ "mktime", ROLE_ZONE },
	{ "tzset", ROLE_ZONE },
	{ "malloc", ROLE_ALLOCATES },
	{ "int_malloc", ROLE_ALLOCATES },
	{ "malloc_consolidate", ROLE_ALLOCATES },
	{ "calloc", ROLE_ALLOCATES },
	{ "realloc", ROLE_ALLOCATES },
	{ "free", ROLE_ALLOCATES },
	{ "cfree", ROLE_ALLOCATES },
	{ "int_free", ROLE_ALLOCATES },
	{ "sched_yield", ROLE_YIELDS },
	{ "pthread_yield", ROLE_YIELDS },
	/* around calls of the kernel that may be cancelled */
	{ "pthread_enable_asynccancel", ROLE_CALLS },
	{ "pthread_disable_asynccancel", ROLE_CALLS },
	{ "syscall_cancel", ROLE_CALLS },
	{ "internal_syscall_cancel", ROLE_CALLS },
	{ "mmap", ROLE_MAPS },
	{ "mmap64", ROLE_MAPS },
	{ "mremap", ROLE_MAPS },
	{ "mprotect", ROLE_MAPS },
	{ "munmap", ROLE_MAPS },
	{ "madvise", ROLE_MAPS },
	{ "brk", ROLE_MAPS },
	{ "sbrk", ROLE_MAPS },
	/* the C++ ABI's; the unwinder has them on its stack */
	{ "cxa_throw", ROLE_THROWS },
	{ "cxa_rethrow", ROLE_THROWS },
	{ "cxa_allocate_exception", ROLE_THROWS },
	{ "cxa_free_exception", ROLE_THROWS },
	{ "cxa_begin_catch", ROLE_THROWS },
	{ "cxa_end_catch", ROLE_THROWS },
	{ "Unwind_RaiseException", ROLE_THROWS },
	{ "Unwind_Resume", ROLE_THROWS },
	{ "Unwind_Resume_or_Rethrow", ROLE_THROWS },
	{ "vfprintf_internal", ROLE_FORMATS },
	/* so deep in it that a sample's piece of the stack may end before its caller */
	{ "printf_fp_l", ROLE_FORMATS },
	{ "printf_fp_l_buffer", ROLE_FORMATS },
	{ "hack_digit", ROLE_FORMATS },
	{ "vsnprintf", ROLE_FORMATS },
	{ "snprintf", ROLE_FORMATS },
	{ "sprintf", ROLE_FORMATS },
	{ "printf", ROLE_FORMATS },
	{ "fprintf", ROLE_FORMATS },
	{ "vsscanf", ROLE_FORMATS },
	{ "sscanf", ROLE_FORMATS },
	{ "strftime", ROLE_FORMATS },
	{ "strftime_l", ROLE_FORMATS },
	{ "regcomp", ROLE_MATCHES },
	{ "regexec", ROLE_MATCHES },
};

/* libstdc++'s and libc++'s of streams and locales, as demanglers write them. */
static const char *const streams[] = {
	"std::ostream",	      "std::basic_ostream", "std::istream", "std::basic_istream",
	"std::iostream",      "std::basic_ios",	    "std::ios",	    "std::locale",
	"std::num_put",	      "std::num_get",	    "std::ctype",   "std::basic_streambuf",
	"std::basic_filebuf", "std::operator<<"
};

static bool is_of_streams(const char *function)
{
	const char *std = strstr(function, "std::"); /* behind the type that it returns, perhaps */

	for (; std; std = strstr(std + 1, "std::"))
		for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
			if (strncmp(std, streams[i], strlen(streams[i])) == 0)
				return true;
	return strstr(function, "stringstream") || strstr(function, "basic_stringbuf");
}

/* libstdc++'s and libc++'s of std::regex. */
static bool is_of_regex(const char *function)
{
	static const char *const parts[] = { "regex",
					     "std::__detail::_Compiler",
					     "std::__detail::_Scanner",
					     "std::__detail::_NFA",
					     "std::__detail::_BracketMatcher",
					     "std::__detail::_Executor" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(function, "std::") && strstr(function, parts[i]))
			return true;
	return false;
}

/* What glibc has for each sort of processors: __strcmp_evex, __memcpy_avx_unaligned_erms. */
static const char *chosen_name(const char *name)
{
	static const char *const names[] = {
		"memcpy",    "memmove", "mempcpy", "memset",  "memcmp",	     "memchr",
		"memrchr",   "strlen",	"strnlen", "strcpy",  "strncpy",     "stpcpy",
		"strcat",    "strncat", "strcmp",  "strncmp", "strcasecmp",  "strncasecmp",
		"strchr",    "strrchr", "strstr",  "strspn",  "strchrnul",   "strcspn",
		"rawmemchr", "strpbrk", "wcslen",  "wmemset", "strcasecmp_l"
	};
	static const char *const sorts[] = { "_sse", "_ssse",  "_avx",	   "_evex",
					     "_sve", "_asimd", "_generic", "_erms" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (size_t j = 0; j < sizeof(sorts) / sizeof(sorts[0]); j++)
			if (strncmp(name, names[i], strlen(names[i])) == 0 &&
			    strncmp(name + strlen(names[i]), sorts[j], strlen(sorts[j])) == 0)
				return names[i];
	return NULL;
}

const char *spot_library_name(const char *function)
{
	static const char *const own[] = { "__GI_", "__libc_" };
	const char *name = function + strspn(function, "_");

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strncmp(function, own[i], strlen(own[i])) == 0)
			return function + strlen(own[i]) + strspn(function + strlen(own[i]), "_");
	if (strncmp(name, "pthread_", strlen("pthread_")) == 0)
		return name;
	return *function == '_' ? chosen_name(name) ?: function : function;
}

static enum role role_of(const char *function)
{
	const char *name = function + strspn(function, "_");
	size_t n = strcspn(name, "@("); /* versions, and what demanglers add */

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strncmp(known[i].name, name, n) == 0 && !known[i].name[n])
			return known[i].role;
	if (is_of_regex(function))
		return ROLE_MATCHES;
	return is_of_streams(function) ? ROLE_FORMATS : ROLE_OTHER;
}

static bool is_called_one_of(const char *function, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(function + strspn(function, "_"), names[i]) == 0)
			return true;
	return false;
}

bool spot_returns_memory(const char *function)
{
	static const char *const names[] = { "munmap", "madvise", "brk" };

	return is_called_one_of(function, names, sizeof(names) / sizeof(names[0]));
}

static bool maps_memory(const struct stack_frame *inner)
{
	return inner->op == DEFS_SYSCALL && role_of(inner->name.function) == ROLE_MAPS;
}

/* A compiler clears what it knows to be a copy of zeros.  A libc without symbols has no names for
 * what it chooses by processor, of which most copy. */
bool spot_copies(const struct sampled *sampled, uint32_t stack)
{
	static const char *const names[] = { "memcpy", "memmove", "mempcpy", "memset",
					     "libc.so.6+" };
	const struct stack_frame *inner = sampled_inner(sampled, stack);
	const char *name = inner ? inner->name.function : "";

	name += strspn(name, "_");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return inner && maps_memory(inner);
}

bool spot_counts(const struct sampled *sampled, uint32_t stack)
{
	static const char *const parts[] = { "shared_ptr", "_Sp_counted", "__shared_count",
					     "__shared_weak_count", "sp_counted" };
	const struct stack_frame *frame;
	bool counts = false;

	for (; (frame = sampled_inner(sampled, stack));
	     stack = sampled->defs->stack[stack].parent) {
		const char *header = frame->name.header;

		if (frame->is_user)
			return counts || (header && strstr(header, "shared_ptr"));
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
			counts |= strstr(frame->name.function, parts[i]) != NULL;
	}
	return false;
}

bool spot_sleeps(const char *function)
{
	static const char *const names[] = { "clock_nanosleep", "nanosleep", "usleep", "sleep" };

	return is_called_one_of(function, names, sizeof(names) / sizeof(names[0]));
}

/* What the user's code called, whatever that calls in turn, unless it waits for a lock there: an
 * exception that is allocated is one cause with it, and so are the locales of a regular expression.
 * Text is deep in its stack: where the sample's piece of it ends before any user's code, it was the
 * task's all the same, as its worker ran that. */
static enum code_spot spot_around(const struct sampled *sampled, uint32_t stack)
{
	enum code_spot spot = SPOT_NONE;

	for (const struct stack_frame *frame;
	     (frame = sampled_inner(sampled, stack)) && !frame->is_user;
	     stack = sampled->defs->stack[stack].parent) {
		enum role role = role_of(frame->name.function);

		if (frame->is_runtime)
			return SPOT_NONE;
		if (role == ROLE_THROWS)
			return SPOT_THROWS;
		if (role == ROLE_MATCHES)
			spot = SPOT_MATCHES;
		else if (role == ROLE_FORMATS && spot == SPOT_NONE)
			spot = SPOT_FORMATS;
	}
	return spot;
}

/* Inside the kernel for what is no lock. */
static enum code_spot spot_in_kernel(const struct stack_frame *inner)
{
	return inner->op == DEFS_SYSCALL && !maps_memory(inner) ? SPOT_CALLS : SPOT_FAULTS;
}

static enum code_spot spot_of_op(const struct stack_frame *inner)
{
	static const uint8_t spot[DEFS_OPS] = { [DEFS_SYSCALL] = SPOT_CALLS, /* on its way out */
						[DEFS_LOAD] = SPOT_LINE,
						[DEFS_STORE] = SPOT_LINE,
						[DEFS_ATOMIC] = SPOT_ATOMIC,
						[DEFS_SPIN] = SPOT_SPIN };

	return spot[inner->op];
}

static uint8_t flags_of(const struct stack_frame *inner, bool awaits)
{
	return (awaits ? CODE_AWAITS : 0) |
	       (inner->op == DEFS_STORE || inner->op == DEFS_ATOMIC ? CODE_WRITES : 0);
}

uint8_t spot_of(const struct sampled *sampled, uint32_t stack, bool in_kernel)
{
	const struct defs *defs = sampled->defs;
	const struct stack_frame *inner = sampled_inner(sampled, stack), *frame;
	bool awaits = inner && role_of(inner->name.function) == ROLE_AWAITS;
	bool calls = inner && inner->op == DEFS_SYSCALL && !maps_memory(inner);
	enum code_spot spot = awaits ? SPOT_LOCK : SPOT_NONE;
	enum code_spot around = awaits || in_kernel ? SPOT_NONE : spot_around(sampled, stack);

	if (around)
		return around;
	for (; (frame = sampled_inner(sampled, stack)) && !frame->is_user;
	     stack = defs->stack[stack].parent)
		switch (role_of(frame->name.function)) {
		case ROLE_RAND:
			return SPOT_RAND | flags_of(inner, awaits || calls);
		case ROLE_ZONE:
			return SPOT_ZONE | flags_of(inner, awaits || calls);
		case ROLE_ALLOCATES: /* it asks the kernel for memory, or waits for its lock */
			if (maps_memory(inner) || (in_kernel && !awaits && !calls))
				return SPOT_FAULTS;
			return SPOT_ALLOCATOR | flags_of(inner, awaits || calls);
		case ROLE_LOCKS:
			spot = SPOT_LOCK;
			awaits |= calls;
			break;
		case ROLE_YIELDS:
			spot = SPOT_SPIN;
			break;
		case ROLE_CALLS:
			spot = SPOT_CALLS;
			break;
		default:
			if (frame->is_runtime && spot != SPOT_LOCK)
				return SPOT_NONE;
			break;
		}
	if (!inner || !frame) /* nobody's code */
		return SPOT_NONE;
	if (spot == SPOT_NONE)
		spot = in_kernel ? spot_in_kernel(inner) : spot_of_op(inner);
	return (uint8_t)spot | flags_of(inner, awaits);
}

/* SPDX-License-Identifier: MIT */
/*
 * fault.c - preloaded before the shims, it lets calls fail that tptrace's own objects make.
 *
 * FAULT=CALL:N:HOW[:more] lets the N-th of these calls fail (from 1; with `more`, all from there
 * on): HOW is an error's number, or `short` for half of a write.  FAULT_COUNT names a file of at
 * least sizeof(struct counts), which gets how often each call was made and how many failed.  Who
 * calls is told by the return address: calls of the program and of other libraries pass.  futex is
 * no call that one can stand before: the kernel refuses it, from the first, where it is of the kind
 * that processes share, which few but the recorder use.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define MODULES 16

/* The order is known to check.py. */
#define CALLS(X)                                                                                   \
	X(open)                                                                                    \
	X(openat)                                                                                  \
	X(write) X(pwrite) X(ftruncate) X(fallocate) X(posix_fallocate) X(mmap) X(pthread_create)  \
		X(fopen) X(fcntl) X(fstat) X(lseek) X(memfd_create) X(readlink) X(read) X(futex)   \
			X(pthread_key_create) X(dlopen) X(sigprocmask) X(unlink) X(linkat)         \
				X(mremap) X(madvise)

enum call {
#define NUMBER(name) CALL_##name,
	CALLS(NUMBER)
#undef NUMBER
		N_CALLS
};

static const char *const call_names[] = {
#define NAME(name) #name,
	CALLS(NAME)
#undef NAME
};

struct counts {
	_Atomic uint32_t made[N_CALLS], failed[N_CALLS];
};

static struct counts no_counts;
static struct {
	struct counts *counts;
	int call; /* -1: none fails */
	uint32_t n;
	int error; /* 0: a short write */
	bool more;
	struct {
		uintptr_t start, end;
	} module[MODULES];
	_Atomic uint32_t n_modules;
} fault = { .counts = &no_counts, .call = -1 };

static int note_module(struct dl_phdr_info *info, size_t bytes, void *data)
{
	const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
	uint32_t n = atomic_load(&fault.n_modules);

	(void)bytes;
	(void)data;
	if (!name || n == MODULES ||
	    (strncmp(name, "/libtptrace.so", 14) && strncmp(name, "/libtpshim_", 11) &&
	     strncmp(name, "/libtpprobe_", 12)))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			fault.module[n].start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			fault.module[n].end = fault.module[n].start + info->dlpi_phdr[i].p_memsz;
		}
	atomic_store(&fault.n_modules, n + 1);
	return 0;
}

/* futex(2) on shared words fails from now on; counted as failed if it does. */
static void forbid_futexes(int error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, FUTEX_WAKE, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof filter / sizeof *filter, .filter = filter };
	uint32_t word = 0;

	if (syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
	    syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0) == -1 && errno == error)
		atomic_fetch_add(&fault.counts->failed[CALL_futex], 1);
}

/* libtptrace.so asks first: its constructor and this one's are in no order that matters here. */
__attribute__((constructor)) static void fault_begin(void)
{
	const char *spec = getenv("FAULT"), *path = getenv("FAULT_COUNT");
	char name[32], how[16], more[8] = "";
	int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;

	if (atomic_load(&fault.n_modules))
		return;
	if (fd >= 0) {
		long at = syscall(SYS_mmap, NULL, sizeof(struct counts), PROT_READ | PROT_WRITE,
				  MAP_SHARED, fd, 0);

		if (at != -1)
			fault.counts = (void *)at; /* NOLINT: an address */
		syscall(SYS_close, fd);
	}
	if (spec && sscanf(spec, "%31[^:]:%u:%15[^:]:%7s", name, &fault.n, how, more) >= 3) {
		fault.error = atoi(how);
		fault.more = more[0] != 0;
		for (int i = 0; i < N_CALLS; i++)
			if (strcmp(name, call_names[i]) == 0)
				fault.call = i;
		if (fault.call == CALL_futex)
			forbid_futexes(fault.error);
	}
	dl_iterate_phdr(note_module, NULL);
}

static bool from_tptrace(const void *return_address)
{
	uint32_t n = atomic_load(&fault.n_modules);

	for (uint32_t i = 0; i < n; i++)
		if ((uintptr_t)return_address - fault.module[i].start <
		    fault.module[i].end - fault.module[i].start)
			return true;
	return false;
}

/* Whether this call is to fail. */
static bool fails(enum call call, const void *return_address)
{
	if (!from_tptrace(return_address))
		return false;
	uint32_t n = atomic_fetch_add(&fault.counts->made[call], 1) + 1;

	if ((int)call != fault.call || (fault.more ? n < fault.n : n != fault.n))
		return false;
	atomic_fetch_add(&fault.counts->failed[call], 1);
	errno = fault.error;
	return true;
}

#define FAILS(name) fails(CALL_##name, __builtin_return_address(0))
#define NEXT(name)                                                                                 \
	static __typeof__(name) *next;                                                             \
                                                                                                   \
	if (!next)                                                                                 \
	next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* ---- files: by system calls, which need no looking up ---- */

static int mode_of(int flags, va_list list)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;
}

EXPORT int open(const char *path, int flags, ...)
{
	va_list list;

	va_start(list, flags);
	int mode = mode_of(flags, list);

	va_end(list);
	return FAILS(open) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

EXPORT int open64(const char *path, int flags, ...) __attribute__((alias("open")));

EXPORT int openat(int folder, const char *path, int flags, ...)
{
	va_list list;

	va_start(list, flags);
	int mode = mode_of(flags, list);

	va_end(list);
	return FAILS(openat) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

EXPORT ssize_t write(int fd, const void *data, size_t bytes)
{
	if (FAILS(write)) {
		if (fault.error)
			return -1;
		bytes = (bytes + 1) / 2;
	}
	return syscall(SYS_write, fd, data, bytes);
}

EXPORT ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at)
{
	if (FAILS(pwrite)) {
		if (fault.error)
			return -1;
		bytes = (bytes + 1) / 2;
	}
	return syscall(SYS_pwrite64, fd, data, bytes, at);
}

EXPORT ssize_t read(int fd, void *data, size_t bytes)
{
	return FAILS(read) ? -1 : syscall(SYS_read, fd, data, bytes);
}

EXPORT int ftruncate(int fd, off_t bytes)
{
	return FAILS(ftruncate) ? -1 : (int)syscall(SYS_ftruncate, fd, bytes);
}

EXPORT int fallocate(int fd, int mode, off_t at, off_t bytes)
{
	return FAILS(fallocate) ? -1 : (int)syscall(SYS_fallocate, fd, mode, at, bytes);
}

EXPORT int posix_fallocate(int fd, off_t at, off_t bytes)
{
	if (FAILS(posix_fallocate))
		return fault.error;
	return syscall(SYS_fallocate, fd, 0, at, bytes) < 0 ? errno : 0;
}

EXPORT off_t lseek(int fd, off_t at, int whence)
{
	return FAILS(lseek) ? -1 : syscall(SYS_lseek, fd, at, whence);
}

EXPORT int fstat(int fd, struct stat *st)
{
	return FAILS(fstat) ? -1 : (int)syscall(SYS_newfstatat, fd, "", st, AT_EMPTY_PATH);
}

EXPORT int fcntl(int fd, int command, ...)
{
	va_list list;

	va_start(list, command);
	long argument = va_arg(list, long);

	va_end(list);
	return FAILS(fcntl) ? -1 : (int)syscall(SYS_fcntl, fd, command, argument);
}

EXPORT ssize_t readlink(const char *path, char *out, size_t room)
{
	return FAILS(readlink) ? -1 : syscall(SYS_readlinkat, AT_FDCWD, path, out, room);
}

EXPORT int unlink(const char *path)
{
	return FAILS(unlink) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

EXPORT int linkat(int folder, const char *path, int new_folder, const char *new_path, int flags)
{
	return FAILS(linkat) ? -1
			     : (int)syscall(SYS_linkat, folder, path, new_folder, new_path, flags);
}

EXPORT int madvise(void *at, size_t bytes, int advice)
{
	return FAILS(madvise) ? -1 : (int)syscall(SYS_madvise, at, bytes, advice);
}

EXPORT void *mremap(void *at, size_t bytes, size_t new_bytes, int flags, ...)
{
	if (FAILS(mremap))
		return MAP_FAILED;
	long got = syscall(SYS_mremap, at, bytes, new_bytes, flags, NULL);

	return (void *)got; /* NOLINT: an address */
}

EXPORT int memfd_create(const char *name, unsigned flags)
{
	return FAILS(memfd_create) ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

EXPORT void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	if (FAILS(mmap))
		return MAP_FAILED;
	long got = syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);

	return (void *)got; /* NOLINT: an address */
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
	NEXT(fopen);
	return FAILS(fopen) ? NULL : next(path, mode);
}

/* ---- threads and the kernel ---- */

static int thread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			 void *arg)
{
	return FAILS(pthread_create) ? fault.error : pthread_create(thread, attr, run, arg);
}

static int key_create(pthread_key_t *key, void (*end)(void *))
{
	return FAILS(pthread_key_create) ? fault.error : pthread_key_create(key, end);
}

/* The recorder gets libc's own functions by their names, past every other library. */
EXPORT void *dlsym(void *handle, const char *name)
{
	static void *(*next)(void *, const char *);

	fault_begin();
	if (!next)
		next = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
	if (!next)
		next = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
	if (handle != RTLD_NEXT && handle != RTLD_DEFAULT &&
	    from_tptrace(__builtin_return_address(0))) {
		if (strcmp(name, "pthread_create") == 0)
			return (void *)thread_create;
		if (strcmp(name, "pthread_key_create") == 0)
			return (void *)key_create;
	}
	return next(handle, name); /* a jump: RTLD_NEXT goes by who called */
}

EXPORT void *dlopen(const char *path, int flags)
{
	static void *(*next)(const char *, int);

	if (!next)
		next = (void *(*)(const char *, int))dlvsym(RTLD_NEXT, "dlopen", "GLIBC_2.2.5");
	if (!next)
		next = (void *(*)(const char *, int))dlvsym(RTLD_NEXT, "dlopen", "GLIBC_2.34");
	return FAILS(dlopen) ? NULL : next(path, flags);
}

static long (*next_syscall)(long, ...);

EXPORT long syscall(long number, ...)
{
	va_list list;
	long a[6];

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (!next_syscall)
		*(void **)&next_syscall = dlvsym(RTLD_NEXT, "syscall", "GLIBC_2.2.5");
	if ((number == SYS_fstat && FAILS(fstat)) ||
	    (number == SYS_rt_sigprocmask && FAILS(sigprocmask)))
		return -1;
	return next_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

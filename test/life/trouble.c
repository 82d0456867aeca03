/* SPDX-License-Identifier: MIT */
/*
 * trouble.c HOW - runs tasks where something is scarce, forbidden, gone or odd.
 *
 * Prints what it computed; exit status 50.  All tasks are such as need no team, so that each way
 * is in the hands of its threads alone, but for `team`.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define TASKS 1000
#define THREADS 2000
#define AT_ONCE 8

static _Atomic int n_cancel_states; /* calls of this program's pthread_setcancelstate() */

static inline __attribute__((always_inline)) long tasks_here(int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++) {
#pragma omp task shared(sum)
		sum += i;
	}
#pragma omp taskwait
	return sum;
}

static __attribute__((noinline)) long tasks(int n)
{
	return tasks_here(n);
}

/* At sites of their own: compilers make one of two functions that are alike. */
static __attribute__((noinline)) long others(int n)
{
	__asm__ volatile("");
	return tasks_here(n);
}

static void *ten(void *arg)
{
	*(long *)arg = tasks(10);
	return NULL;
}

/* ---- threads that are cancelled ---- */

/* From its first task on, wherever a thread may be. */
static void *cancelled(void *arg)
{
	pthread_cancel(pthread_self());
	*(long *)arg = tasks(10);
	pthread_testcancel();
	*(long *)arg = -1;
	return NULL;
}

static long all_cancelled(int n)
{
	long sum = 0, one;
	pthread_t thread;

	for (int i = 0; i < n; i++) {
		if (pthread_create(&thread, NULL, cancelled, &one))
			return -2;
		pthread_join(thread, NULL);
		sum += one;
	}
	sum += tasks(TASKS);
	return n_cancel_states ? -3 : sum;
}

/* The program's own, as user-level threads have them; libc's is what the recorder has to call. */
int pthread_setcancelstate(int state, int *before)
{
	static int (*real)(int, int *);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pthread_setcancelstate");
	n_cancel_states++;
	return real(state, before);
}

/* ---- threads that come and go ---- */

/* So many threads at once; the sum of what they say, or -1. */
static long sum_of_threads(int n, const pthread_attr_t *attr, void *(*fn)(void *))
{
	static pthread_t thread[512];
	static long got[512];
	long sum = 0;

	for (int i = 0; i < n; i++)
		if (pthread_create(&thread[i], attr, fn, &got[i]))
			return -1;
	for (int i = 0; i < n; i++) {
		pthread_join(thread[i], NULL);
		sum += got[i];
	}
	return sum;
}

static long many(int n, int at_once, size_t stack_bytes)
{
	pthread_attr_t attr;
	long sum = 0;

	pthread_attr_init(&attr);
	if (stack_bytes)
		pthread_attr_setstacksize(&attr, stack_bytes);
	for (int i = 0; i < n; i += at_once) {
		long part = sum_of_threads(at_once, &attr, ten);

		if (part < 0)
			return -1;
		sum += part;
	}
	return sum;
}

static pthread_barrier_t meet;

static void *ten_together(void *arg)
{
	tasks(5);
	pthread_barrier_wait(&meet);
	*(long *)arg = tasks(10);
	pthread_barrier_wait(&meet);
	return NULL;
}

/* All there at the same time. */
static long crowd(int n)
{
	pthread_attr_t attr;

	pthread_barrier_init(&meet, NULL, (unsigned)n);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 32768);
	return sum_of_threads(n, &attr, ten_together);
}

/* ---- threads that end in the middle ---- */

static pthread_barrier_t inside;

static void *is_cancelled(void *arg)
{
	(void)arg;
	tasks(10);
#pragma omp task
	{
		tasks(10);
		pthread_barrier_wait(&inside);
		for (;;)
			pause();
	}
	return NULL;
}

static void *waits_and_is_cancelled(void *arg)
{
	(void)arg;
	tasks(10);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_barrier_wait(&inside);
#pragma omp critical
	tasks(10);
	return NULL;
}

static void *leaves(void *arg)
{
	tasks(10);
#pragma omp task
	{
		tasks(10);
		pthread_exit(arg);
	}
	return NULL;
}

static long ends_inside(void)
{
	pthread_t thread;
	void *got;
	long n = 0;

	pthread_barrier_init(&inside, NULL, 2);
	for (int i = 0; i < 20; i++) {
		pthread_create(&thread, NULL, is_cancelled, NULL);
		pthread_barrier_wait(&inside);
		pthread_cancel(thread);
		pthread_join(thread, &got);
		n += got == PTHREAD_CANCELED;
		pthread_create(&thread, NULL, leaves, &n);
		pthread_join(thread, &got);
		n += got == &n;
#pragma omp critical
		{
			pthread_create(&thread, NULL, waits_and_is_cancelled, NULL);
			pthread_barrier_wait(&inside);
			usleep(2000);
			pthread_cancel(thread);
			pthread_join(thread, &got);
			n += got == PTHREAD_CANCELED;
		}
		tasks(10);
	}
	return n;
}

/* ---- what the kernel forbids ---- */

/* How the filter is set: by prctl(), as libseccomp does it, or past libc. */
enum setting { BY_PRCTL, BY_SYSCALL, BY_ITSELF };

static int set_filter(enum setting setting, struct sock_fprog *filter)
{
	long result = SYS_prctl;

	if (setting == BY_PRCTL)
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter);
	if (setting == BY_SYSCALL)
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, filter);
#ifdef __x86_64__
	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"((long)PR_SET_SECCOMP), "S"((long)SECCOMP_MODE_FILTER), "d"(filter)
			 : "rcx", "r11", "memory");
	return (int)result;
#else
	return -1;
#endif
}

/* From now on this thread, and those that it makes, get that for the system call. */
static int answer(int number, unsigned action, enum setting setting)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return set_filter(setting, &filter);
}

static int forbid(int number)
{
	return answer(number, SECCOMP_RET_ERRNO | EPERM, BY_PRCTL);
}

/* `loads`: no program begins without it. */
static const struct {
	const char *name;
	int number;
	bool loads;
} forbidden[] = {
	{ "futex", SYS_futex },
	{ "sched_yield", SYS_sched_yield },
	{ "memfd_create", SYS_memfd_create },
	{ "prctl", SYS_prctl },
	{ "openat", SYS_openat, true },
	{ "mmap", SYS_mmap, true },
	{ "madvise", SYS_madvise },
	{ "ftruncate", SYS_ftruncate },
	{ "fallocate", SYS_fallocate },
	{ "getpid", SYS_getpid },
	{ "rt_sigprocmask", SYS_rt_sigprocmask },
	{ "readlink", SYS_readlink },
	{ "newfstatat", SYS_newfstatat, true },
	{ "fcntl", SYS_fcntl },
	{ "uname", SYS_uname },
	{ "clone3", SYS_clone3 },
	{ "socket", SYS_socket },
};

/* Runs tasks without that system call; with a program, in that, so that all of the recording is
 * without it.  -1 if it cannot be forbidden. */
static long without(const char *call, const char *program)
{
	for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++) {
		if (strcmp(call, forbidden[i].name) != 0)
			continue;
		if (forbid(forbidden[i].number) < 0)
			return -1;
		if (program && !forbidden[i].loads)
			execl(program, program, "tasks", NULL);
	}
	return tasks(TASKS);
}

/* The child has the memory of the parent, and a filter of its own. */
static bool child_is_filtered(void)
{
	int status = -1;
	pid_t pid = vfork();

	if (pid == 0)
		_exit(answer(SYS_openat, SECCOMP_RET_KILL_PROCESS, BY_PRCTL) < 0 ||
		      answer(SYS_openat, SECCOMP_RET_KILL_PROCESS, BY_SYSCALL) < 0);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* There are filters, as those that do not exist show. */
static bool has_filters(void)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) < 0 && errno == EFAULT &&
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) < 0 && errno == EFAULT;
}

/* ---- descriptors ---- */

/* The program's own file has number 2. */
static void reuse_two(const char *path)
{
	close(2);
	if (open(path, O_RDWR | O_CREAT | O_TRUNC, 0600) != 2)
		exit(51);
}

static void close_all(void)
{
	for (int fd = 3; fd < 256; fd++)
		close(fd);
}

/* ---- signal handlers that run tasks ---- */

static volatile long handled;
static volatile sig_atomic_t n_signals;

/* 3 tasks and a wait: four calls of the runtime. */
static void on_alarm(int signal)
{
	int saved = errno;

	(void)signal;
	handled += tasks(3);
	n_signals++;
	errno = saved;
}

/* For the driver to compare the trace with. */
static void tell_tasks(const char *path, long n)
{
	FILE *out = fopen(path, "w");

	if (!out)
		return;
	fprintf(out, "%ld\n", n);
	fclose(out);
}

static long with_handler(const char *path)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct itimerval often = { { 0, 150 }, { 0, 150 } }, never = { { 0, 0 }, { 0, 0 } };
	long sum = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	long n = 0;

	while (n_signals < 2000) {
		sum = tasks(100);
		n += 100;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	tell_tasks(path, n + 3L * n_signals);
	return sum + (handled == 3L * n_signals ? 0 : 1);
}

/* A handler at each single instruction, of the program, the recorder and the runtime. */
static long stepped(const char *path)
{
#ifdef __x86_64__
	struct sigaction action = { .sa_handler = on_alarm };
	long sum;

	on_alarm(0); /* every place is known: what is done once only takes locks */
	sum = tasks(200);
	sigaction(SIGTRAP, &action, NULL);
	__asm__ volatile("sub $128, %%rsp; pushf; orq $256, (%%rsp); popf; add $128, %%rsp" ::
				 : "memory", "cc");
	sum += tasks(200);
	__asm__ volatile("sub $128, %%rsp; pushf; andq $-257, (%%rsp); popf; add $128, %%rsp" ::
				 : "memory", "cc");
	tell_tasks(path, 400 + 3L * n_signals);
	return sum + (handled == 3L * n_signals && n_signals > 10000 ? 0 : 1);
#else
	(void)path;
	exit(77);
#endif
}

/* ---- code that comes and goes ---- */

static long load_and_unload(const char *folder)
{
	long sum = 0;

	for (int i = 0; i < 6; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/part%d.so", folder, i % 2);
		void *part = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		long (*run)(void) = part ? (long (*)(void))dlsym(part, "part_run") : NULL;

		if (!run)
			return -1;
		sum += run();
		dlclose(part);
	}
	return sum;
}

static void *shifted(void *arg)
{
	*(long *)arg = tasks(TASKS);
	return NULL;
}

static long on_small_stack(size_t bytes)
{
	pthread_attr_t attr;
	pthread_t thread;
	long sum = -1;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, bytes);
	if (pthread_create(&thread, &attr, shifted, &sum))
		return -2;
	pthread_join(thread, NULL);
	return sum;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "tasks", *what = argc > 2 ? argv[2] : "";
	long sum = 0;

	if (strcmp(how, "tasks") == 0)
		sum = tasks(TASKS);
	else if (strcmp(how, "threads") == 0)
		sum = many(THREADS, AT_ONCE, 0);
	else if (strcmp(how, "small") == 0)
		sum = many(64, AT_ONCE, 32768);
	else if (strcmp(how, "smallest") == 0)
		sum = on_small_stack(32768);
	else if (strcmp(how, "crowd") == 0)
		sum = crowd(atoi(what));
	else if (strcmp(how, "ends_inside") == 0)
		sum = ends_inside();
	else if (strcmp(how, "cancelled") == 0)
		sum = all_cancelled(5);
	else if (strcmp(how, "handler") == 0)
		sum = with_handler(what);
	else if (strcmp(how, "stepped") == 0)
		sum = stepped(what);
	else if (strcmp(how, "load") == 0)
		sum = load_and_unload(what);
	else if (strcmp(how, "reuse") == 0)
		tasks(TASKS), reuse_two(what), sum = tasks(TASKS);
	else if (strcmp(how, "reuse_first") == 0)
		reuse_two(what), sum = tasks(TASKS);
	else if (strcmp(how, "close_all") == 0)
		tasks(TASKS), usleep(400000), close_all(), sum = tasks(TASKS);
	else if (strcmp(how, "no_folder") == 0)
		sum = rmdir(what) == 0 ? tasks(TASKS) : -1;
	else if (strcmp(how, "forbid") == 0 || strcmp(how, "forbid_late") == 0) {
		if (how[6])
			tasks(TASKS);
		sum = without(what, how[6] ? NULL : argv[0]);
		if (sum < 0)
			return 77;
	} else if (strcmp(how, "killed") == 0) {
		sum = tasks(TASKS);
		if (answer(SYS_openat, SECCOMP_RET_KILL_PROCESS, BY_PRCTL) < 0)
			return 77;
		execl("/etc/passwd", "passwd", NULL); /* no program: it is not run */
		sum += crowd(8);
	} else if (strncmp(how, "killed_", 7) == 0) {
		if (answer(SYS_openat, SECCOMP_RET_KILL_PROCESS,
			   strcmp(how, "killed_prctl") == 0	? BY_PRCTL
			   : strcmp(how, "killed_syscall") == 0 ? BY_SYSCALL
								: BY_ITSELF) < 0)
			return 77;
		sum = tasks(TASKS);
	} else if (strcmp(how, "filtered_child") == 0) {
		if (!child_is_filtered())
			return 77;
		sum = tasks(TASKS);
	} else if (strcmp(how, "asked_and_load") == 0) {
		if (!has_filters())
			return 77;
		sum = load_and_unload(what);
	} else if (strcmp(how, "no_sites") == 0) {
		sum = tasks(TASKS);
		if (forbid(SYS_madvise) < 0)
			return 77;
		sum += others(TASKS);
	}
	printf("%ld\n", sum);
	return 50;
}

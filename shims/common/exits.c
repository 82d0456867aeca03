/* SPDX-License-Identifier: MIT */
/*
 * exits.c - what ends, replaces or starts a process, for every shim: the recorder hears of it
 * first.
 *
 * These are in each shim, as only what is preloaded itself comes before libc; libtptrace.so, which
 * shims need, comes after it.  Of several shims the first one's are called and lead through the
 * others' to libc's: the later ones find that there is nothing left to do.
 *
 * They are called in signal handlers and in children by vfork() as well: malloc() is not called,
 * and the real functions are looked up when the shim is loaded.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "preload/life.h"
#include "preload/offspring.h"
#include "shims/common/next.h"

#define EXEC_PARAMETERS (const char *, char *const[], char *const[])
#define SPAWN_PARAMETERS                                                                           \
	(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,     \
	 char *const[], char *const[])

/* F(result, name, parameters, version).  libc has two posix_spawn(), the older of which has sh run
 * a script without #!. */
#define LIFE_FUNCTIONS(F)                                                                          \
	F(void, _exit, (int), NULL)                                                                \
	F(void, _Exit, (int), NULL)                                                                \
	F(void, abort, (void), NULL)                                                               \
	F(int, raise, (int), NULL)                                                                 \
	F(int, kill, (pid_t, int), NULL)                                                           \
	F(void, __assert_fail, (const char *, const char *, unsigned, const char *), NULL)         \
	F(int, execve, EXEC_PARAMETERS, NULL)                                                      \
	F(int, execvpe, EXEC_PARAMETERS, NULL)                                                     \
	F(int, execv, (const char *, char *const[]), NULL)                                         \
	F(int, execvp, (const char *, char *const[]), NULL)                                        \
	F(int, fexecve, (int, char *const[], char *const[]), NULL)                                 \
	F(int, execveat, (int, const char *, char *const[], char *const[], int), NULL)             \
	F(int, posix_spawn, SPAWN_PARAMETERS, "GLIBC_2.15")                                        \
	F(int, posix_spawnp, SPAWN_PARAMETERS, "GLIBC_2.15")                                       \
	F(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *),   \
	  NULL)                                                                                    \
	F(int, tptrace_pthread_create_from,                                                        \
	  (const void *, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *), NULL)    \
	F(int, daemon, (int, int), NULL)                                                           \
	F(pid_t, _Fork, (void), NULL)                                                              \
	F(int, clone, (int (*)(void *), void *, int, void *, ...), NULL)                           \
	F(int, prctl, (int, ...), NULL)

#define LIFE_POINTER(result, name, parameters, version) result(*name) parameters;
#define LIFE_BIND(result, name, parameters, version) real.name = next_versioned(#name, version);

static struct {
	LIFE_FUNCTIONS(LIFE_POINTER)
} real;

__attribute__((constructor)) static void life_bind(void)
{
	LIFE_FUNCTIONS(LIFE_BIND)
}

/* Shims are before all other libraries but the program itself: their destructors run first. */
__attribute__((destructor)) static void life_unbind(void)
{
	life_pause_at_exit();
}

/* The real function; constructors of other libraries may come before ours. */
#define REAL(name) (*(real.name ? real.name : (life_bind(), real.name)))

/* ---- ends ---- */

CALL_EXPORT __attribute__((noreturn)) void _exit(int status)
{
	life_finish("by _exit");
	REAL(_exit)(status);
	__builtin_unreachable();
}

CALL_EXPORT __attribute__((noreturn)) void _Exit(int status)
{
	life_finish("by _Exit");
	REAL(_Exit)(status);
	__builtin_unreachable();
}

static sighandler_t on_abort(void)
{
	struct sigaction action;

	return sigaction(SIGABRT, NULL, &action) == 0 ? action.sa_handler : SIG_DFL;
}

/* Whether a handler of the program's will run. */
static bool abort_is_caught(void)
{
	sighandler_t handler = on_abort();

	return handler != SIG_DFL && handler != SIG_IGN;
}

/* A handler may go on elsewhere, by longjmp().  If it returns, libc's abort() runs none. */
CALL_EXPORT __attribute__((noreturn)) void abort(void)
{
	sigset_t aborts;

	if (abort_is_caught()) {
		life_pause("by abort", LEAVE_SEEN);
		sigemptyset(&aborts);
		sigaddset(&aborts, SIGABRT);
		pthread_sigmask(SIG_UNBLOCK, &aborts, NULL);
		REAL(raise)(SIGABRT);
		signal(SIGABRT, SIG_DFL);
	}
	life_finish("by abort");
	REAL(abort)();
	__builtin_unreachable();
}

/* As handlers of crashes do it at last. */
CALL_EXPORT int raise(int number)
{
	if (number == SIGABRT && on_abort() == SIG_DFL)
		life_pause("by abort", LEAVE_UNSEEN);
	return REAL(raise)(number);
}

CALL_EXPORT int kill(pid_t pid, int number)
{
	if (pid == getpid() && number == SIGABRT && on_abort() == SIG_DFL)
		life_pause("by abort", LEAVE_UNSEEN);
	return REAL(kill)(pid, number);
}

/* libc's own calls of abort() do not come by here; this is the frequent one. */
CALL_EXPORT __attribute__((noreturn)) void __assert_fail(const char *assertion, const char *file,
							 unsigned line, const char *function)
{
	if (abort_is_caught())
		life_pause("by assert", LEAVE_UNSEEN);
	else
		life_finish("by assert");
	REAL(__assert_fail)(assertion, file, line, function);
	__builtin_unreachable();
}

/* ---- becomes another program; if that fails, goes on ---- */

#define EXEC(callsite, again)                                                                      \
	life_pause("by exec", LEAVE_AT_ONCE);                                                      \
	int status = callsite;                                                                     \
                                                                                                   \
	BARE(status < 0 ? errno : 0, again);                                                       \
	life_go_on();                                                                              \
	DISOWN;                                                                                    \
	return status

#define STACK_WORDS 128u /* a task may have little stack: a longer environment is not put there */

/* `inherited` is `envp`, or, where libraries of ours would be in the way, one without them. */
#define INHERIT(n, envp)                                                                           \
	enum preloads_kept kept = PRELOADS_OTHERS;                                                 \
	size_t n_words = n;                                                                        \
	char *words[n_words <= STACK_WORDS ? n_words + 1 : 1];                                     \
	char **room = n_words <= STACK_WORDS ? words : offspring_room(n_words);                    \
	char *const *all = envp;                                                                   \
	char *const *inherited = n_words && room ? offspring_environment(all, room, kept) : all

/* Where the program just fits alone and ours are too much, it is called again without them. */
#define BARE(error, again)                                                                         \
	if ((error) == E2BIG) {                                                                    \
		size_t n_bare;                                                                     \
		char **bare = offspring_bare(all, &n_bare);                                        \
                                                                                                   \
		if (bare) {                                                                        \
			inherited = bare;                                                          \
			status = again;                                                            \
			offspring_end_bare(bare, n_bare, status);                                  \
		}                                                                                  \
	}

#define DISOWN                                                                                     \
	do {                                                                                       \
		if (room != words && room)                                                         \
			offspring_leave(room, n_words);                                            \
	} while (0)

CALL_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	if (offspring_fails(path))
		return REAL(execve)(path, argv, envp);
	INHERIT(offspring_words(AT_FDCWD, path, envp, &kept), envp);
	EXEC(REAL(execve)(path, argv, inherited), REAL(execve)(path, argv, inherited));
}

CALL_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	INHERIT(offspring_words_by_name(file, envp, &kept), envp);
	EXEC(REAL(execvpe)(file, argv, inherited), REAL(execvpe)(file, argv, inherited));
}

CALL_EXPORT int execv(const char *path, char *const argv[])
{
	if (offspring_fails(path))
		return REAL(execv)(path, argv);
	INHERIT(offspring_words(AT_FDCWD, path, environ, &kept), environ);
	EXEC(n_words ? REAL(execve)(path, argv, inherited) : REAL(execv)(path, argv),
	     REAL(execve)(path, argv, inherited));
}

CALL_EXPORT int execvp(const char *file, char *const argv[])
{
	INHERIT(offspring_words_by_name(file, environ, &kept), environ);
	EXEC(n_words ? REAL(execvpe)(file, argv, inherited) : REAL(execvp)(file, argv),
	     REAL(execvpe)(file, argv, inherited));
}

CALL_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	INHERIT(offspring_words(fd, "", envp, &kept), envp);
	EXEC(REAL(fexecve)(fd, argv, inherited), REAL(fexecve)(fd, argv, inherited));
}

int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags);

CALL_EXPORT int execveat(int fd, const char *path, char *const argv[], char *const envp[],
			 int flags)
{
	INHERIT(offspring_words(fd, path, envp, &kept), envp);
	EXEC(REAL(execveat)(fd, path, argv, inherited, flags),
	     REAL(execveat)(fd, path, argv, inherited, flags));
}

/* How many arguments there are, the first and the NULL included. */
static size_t args_count(va_list list)
{
	size_t n = 2;

	while (va_arg(list, char *))
		n++;
	return n;
}

static void args_fill(char **argv, const char *first, va_list list)
{
	*argv++ = (char *)first;
	while ((*argv++ = va_arg(list, char *)))
		;
}

/* The list as an array on the stack, as libc does it: `argv`, and `list` is behind the NULL. */
#define LIST_ARGV                                                                                  \
	va_list list;                                                                              \
                                                                                                   \
	va_start(list, first);                                                                     \
	size_t n = args_count(list);                                                               \
	va_end(list);                                                                              \
	char *argv[n];                                                                             \
                                                                                                   \
	va_start(list, first);                                                                     \
	args_fill(argv, first, list)

CALL_EXPORT int execl(const char *path, const char *first, ...)
{
	LIST_ARGV;
	va_end(list);
	return execv(path, argv);
}

CALL_EXPORT int execlp(const char *file, const char *first, ...)
{
	LIST_ARGV;
	va_end(list);
	return execvp(file, argv);
}

CALL_EXPORT int execle(const char *path, const char *first, ...)
{
	LIST_ARGV;
	char *const *envp = va_arg(list, char *const *);

	va_end(list);
	return execve(path, argv, envp);
}

/* ---- starts another program ---- */

#define SPAWNS(name, wanted)                                                                       \
	CALL_EXPORT int name(                                                                      \
		pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,           \
		const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])       \
	{                                                                                          \
		INHERIT(wanted, envp);                                                             \
		int status = REAL(name)(pid, path, actions, attributes, argv, inherited);          \
                                                                                                   \
		BARE(status, REAL(name)(pid, path, actions, attributes, argv, inherited));         \
		DISOWN;                                                                            \
		return life_lacks(status);                                                         \
	}

SPAWNS(posix_spawn, offspring_words(AT_FDCWD, path, envp, &kept))
SPAWNS(posix_spawnp, offspring_words_by_name(path, envp, &kept))

/* The shim that records threads has its own, here or behind this one, and asks who calls.  Before
 * this one it has asked. */
CALL_EXPORT __attribute__((weak)) int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg)
{
	const void *from = __builtin_return_address(0);
	__typeof__(REAL(pthread_create)) *create = REAL(pthread_create);

	if (real.tptrace_pthread_create_from)
		return real.tptrace_pthread_create_from(from, thread, attributes, run, arg);
	return life_lacks(create(thread, attributes, run, arg));
}

/* ---- puts a filter of system calls on itself ---- */

CALL_EXPORT int prctl(int option, ...)
{
	unsigned long more[4];
	va_list list;

	va_start(list, option);
	for (int i = 0; i < 4; i++)
		more[i] = va_arg(list, unsigned long);
	va_end(list);
	if (option == PR_SET_SECCOMP)
		life_filters(true);
	int status = REAL(prctl)(option, more[0], more[1], more[2], more[3]);

	if (option == PR_SET_SECCOMP && status < 0)
		life_filters(false);
	return status;
}

/* ---- doubles ---- */

/* The parent ends inside. */
CALL_EXPORT int daemon(int keep_cwd, int keep_files)
{
	life_pause("by daemon", LEAVE_UNSEEN);
	return REAL(daemon)(keep_cwd, keep_files);
}

pid_t _Fork(void); /* before glibc 2.34 without a prototype, as execveat() */

/* fork() without its handlers, ours among them. */
CALL_EXPORT pid_t _Fork(void)
{
	life_forks();
	pid_t pid = REAL(_Fork)();

	if (pid == 0)
		life_forked();
	return pid;
}

struct start {
	int (*run)(void *);
	void *arg;
};

static int cloned(void *arg)
{
	struct start start = *(struct start *)arg;

	life_forked();
	return start.run(start.arg);
}

/* With memory of its own the child is forked; with the parent's, nobody's business. */
CALL_EXPORT int clone(int (*run)(void *), void *stack, int flags, void *arg, ...)
{
	struct start start = { run, arg };
	void *more[3];
	va_list list;

	va_start(list, arg);
	for (int i = 0; i < 3; i++)
		more[i] = va_arg(list, void *);
	va_end(list);
	if (!(flags & CLONE_VM)) {
		life_forks();
		run = cloned;
		arg = &start;
	}
	return REAL(clone)(run, stack, flags, arg, more[0], more[1], more[2]);
}

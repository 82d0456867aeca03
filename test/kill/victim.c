/* SPDX-License-Identifier: MIT */
/*
 * victim.c - makes tasks, counts them in a file that outlives it, and ends on request.
 *
 * It is a program as those of test/port, for any runtime.  Each task adds one to a word in the file
 * $KILL_COUNTER; the one that makes it $KILL_AT ends the process by $KILL_HOW: kill, term, segv,
 * abort, _exit, exit_group (the bare call) or none.  Without $KILL_AT it goes on until it is
 * killed, or the second word of the file says after how many tasks it may end.  With $KILL_FORBID
 * it starts no thread after its first round: system calls that would are refused.  With $KILL_ROOT
 * that is its root after that round.
 */
#define PORT_SIZE 1000000
#define PORT_SMALL 1
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test/kill/mapped.h"
#include "test/port/tree.h"

#define TREE 12	 /* fib(TREE) a round: 465 tasks, where tasks can wait for tasks; .. */
#define FLAT 200 /* .. and so many of one creator */

static struct counter {
	uint64_t n, at;
	char how[16];
} *counter;

static void end_by(const char *how)
{
	if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGKILL);
	else if (strcmp(how, "term") == 0)
		kill(getpid(), SIGTERM);
	else if (strcmp(how, "segv") == 0)
		raise(SIGSEGV);
	else if (strcmp(how, "abort") == 0)
		abort();
	else if (strcmp(how, "_exit") == 0)
		_exit(3);
	else if (strcmp(how, "exit_group") == 0)
		syscall(SYS_exit_group, 4);
}

static void count_one(void)
{
	if (__atomic_add_fetch(&counter->n, 1, __ATOMIC_SEQ_CST) == counter->at)
		end_by(counter->how);
}

static void make_tree(void)
{
	struct tree root;

	memset(&root, 0, sizeof(root));
	root.n = TREE;
	tree(&root);
}

static void make_flat(void)
{
	static struct tree leaf[FLAT];

	PORT_OPEN(group);
	memset(leaf, 0, sizeof(leaf));
	for (int i = 0; i < FLAT; i++) {
		leaf[i].is_task = true;
		PORT_CREATE(group, tree, &leaf[i]);
	}
	PORT_WAIT(group);
	PORT_CLOSE(group);
}

static void make_round(void)
{
	make_flat();
	if (PORT_NESTS)
		make_tree();
}

static void forbid_threads(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
		exit(2);
}

static bool is_over(void)
{
	uint64_t at = __atomic_load_n(&counter->at, __ATOMIC_SEQ_CST);

	return at && __atomic_load_n(&counter->n, __ATOMIC_SEQ_CST) > at;
}

static bool counter_open(void)
{
	const char *at = getenv("KILL_AT"), *how = getenv("KILL_HOW");

	counter = (struct counter *)mapped("KILL_COUNTER", sizeof(*counter));
	if (!counter)
		return false;
	if (at)
		counter->at = strtoull(at, NULL, 10);
	strncpy(counter->how, how ? how : "none", sizeof(counter->how) - 1);
	return true;
}

static long port_program(long size, long *n_tasks)
{
	if (!counter && !counter_open())
		exit(2);
	for (long i = 0; i < size && !is_over(); i++) {
		make_round();
		if (i == 0 && getenv("KILL_FORBID"))
			forbid_threads();
		if (i == 0 && getenv("KILL_ROOT") && chroot(getenv("KILL_ROOT")) < 0)
			exit(2);
	}
	*n_tasks = (long)counter->n;
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* say_test.c - the line of a command that has no memory left arrives, wherever stderr goes. */
#include "tools/base/say.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/lib/test.h"
#include "tools/base/progress.h"
#include "tools/base/xalloc.h"

static void plainly(void)
{
}

static void on_a_silent_rank(void)
{
	say_as_rank(3);
	say_nothing();
	say_warn("this is what rank 0 says");
}

static void in_a_child_of_that(void)
{
	on_a_silent_rank();
	if (!say_into(STDOUT_FILENO, say_stderr()))
		_exit(9);
}

/* A terminal, which *terminal is to hold open. */
static int open_terminal(int *terminal)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);

	assert_true(master >= 0);
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	*terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(*terminal >= 0);
	return master;
}

static _Noreturn void show_then_ask(int terminal, int go)
{
	char byte;

	dup2(terminal, STDERR_FILENO);
	progress_stage(progress_open(), "reading x", 0);
	if (read(go, &byte, 1) == 1)
		free(xmalloc(SIZE_MAX / 2));
	_exit(0);
}

/* Reads on until the text holds that. */
static void read_until(int master, char *text, size_t room, const char *wanted)
{
	size_t n = strlen(text);

	while (!strstr(text, wanted)) {
		ssize_t got = read(master, text + n, room - n - 1);

		assert_true(got > 0);
		n += (size_t)got;
		text[n] = 0;
	}
}

TEST(test_no_memory_behind_progress)
{
	char text[2000] = "";
	int go[2], terminal, master;
	pid_t pid;

	NOT_SANITIZED();
	master = open_terminal(&terminal);
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (pid == 0)
		show_then_ask(terminal, go[0]);
	read_until(master, text, sizeof(text), "reading x");
	assert_int_equal(write(go[1], "x", 1), 1);
	read_until(master, text, sizeof(text), "memory");
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_non_null(strstr(text, "reading x\r\033[Ktptrace: out of memory"));
	close(terminal);
	close(master);
	close(go[0]);
	close(go[1]);
}

/* What a process says on stderr that is prepared so, then asks for more than there is. */
static void check_said(void (*prepare)(void), const char *said)
{
	char text[200] = "";
	int pipes[2], status;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (pid == 0) {
		dup2(pipes[1], STDERR_FILENO);
		prepare();
		free(xmalloc(SIZE_MAX / 2));
		_exit(0);
	}
	close(pipes[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(read(pipes[0], text, sizeof(text) - 1) >= 0);
	close(pipes[0]);
	assert_string_equal(text, said);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
}

TEST(test_no_memory)
{
	NOT_SANITIZED();
	check_said(plainly, "tptrace: out of memory\n");
	check_said(on_a_silent_rank, "tptrace: rank 3: out of memory\n");
	check_said(in_a_child_of_that, "tptrace: rank 3: out of memory\n");
}

/* SPDX-License-Identifier: MIT */
/* say_test.c - the line of a command that has no memory left arrives, wherever stderr goes. */
#include "tools/base/say.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/lib/test.h"
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
	check_said(plainly, "tptrace: out of memory\n");
	check_said(on_a_silent_rank, "tptrace: rank 3: out of memory\n");
	check_said(in_a_child_of_that, "tptrace: rank 3: out of memory\n");
}

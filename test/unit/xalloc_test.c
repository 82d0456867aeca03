/* SPDX-License-Identifier: MIT */
/* xalloc_test.c - what no memory is left for ends the command, with one line and no half output. */
#include "tools/base/xalloc.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/lib/test.h"
#include "tools/base/map.h"
#include "tools/base/output.h"
#include "tools/dag/barrier.h"
#include "tools/dag/state.h"

#define TOO_MUCH ((size_t)1 << 62) /* no address space has it; the compiler is not to know */

static char folder[] = "/tmp/xalloc_test.XXXXXX", page[64], said[64], parts[64];

static int set_up(void **state)
{
	(void)state;
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(page, sizeof(page), "%s/page", folder);
	snprintf(said, sizeof(said), "%s/said", folder);
	snprintf(parts, sizeof(parts), "%s/page*", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(page);
	unlink(said);
	return rmdir(folder);
}

/* How many files of the output there are, whole or not. */
static size_t n_parts(void)
{
	glob_t found;
	size_t n = glob(parts, 0, NULL, &found) == 0 ? found.gl_pathc : 0;

	globfree(&found);
	return n;
}

/* The exit status of a child that calls it, whose standard error is `said`. */
static int status_of(void (*call)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		dup2(open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
		call();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void ask_for_too_much(void)
{
	volatile size_t bytes = TOO_MUCH;

	free(xmalloc(bytes));
}

static void ask_while_writing(void)
{
	struct output output;
	struct err err;

	if (output_file(&output, page, &err) == 0 && n_parts() == 1)
		ask_for_too_much();
}

static void grow_too_much(void)
{
	uint32_t *array = NULL;
	uint64_t room = 0;

	array_grow(&array, &room, 10, sizeof(*array));
	array_grow(&array, &room, UINT64_C(1) << 55, sizeof(*array));
}

static void for_a_trace(void)
{
	assert_null(memory_for("a.tpt"));
	ask_for_too_much();
}

static void for_a_trace_no_more(void)
{
	memory_for("a.tpt");
	assert_string_equal(memory_for(NULL), "a.tpt");
	ask_for_too_much();
}

/* ---- more than there are numbers for ---- */

static struct dag full = { .n_strands = STRAND_NONE,
			   .n_tasks = MADE_TEAM - 1,
			   .n_extras = UINT32_MAX,
			   .n_events = UINT64_C(1) << 34 };
static struct state state = { .dag = &full, .lossy_ns = UINT64_MAX };

static void make_strand(void)
{
	state_strand(&state, STRAND_NONE, 0);
}

static void make_task(void)
{
	task_id task;

	state_task(&state, 0, STRAND_NONE, 0, 0, &task);
}

static void make_edge(void)
{
	state_edge(&state, 0);
}

static void make_team(void)
{
	struct barriers barriers = { .n_teams = MADE_TEAM - 1 };

	memory_for("a.tpt");
	barrier_fork(&barriers, &(struct team){ 0 });
}

static void check_said_so(const char *line)
{
	char text[256] = "";
	int fd = open(said, O_RDONLY);

	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	assert_string_equal(text, line);
}

static void check_said(void)
{
	check_said_so("tptrace: out of memory\n");
}

TEST_WITH(test_ends, set_up, tear_down)
{
	NOT_SANITIZED();
	assert_int_equal(status_of(ask_for_too_much), 1);
	check_said();
	assert_int_equal(status_of(grow_too_much), 1);
	check_said();
}

TEST_WITH(test_names_the_trace, set_up, tear_down)
{
	NOT_SANITIZED();
	assert_int_equal(status_of(for_a_trace), 1);
	check_said_so("tptrace: a.tpt: out of memory\n");
	assert_int_equal(status_of(for_a_trace_no_more), 1);
	check_said();
}

TEST_WITH(test_too_many, set_up, tear_down)
{
	static const struct {
		void (*make)(void);
		const char *said;
	} all[] = { { make_strand, "tptrace: too many strands\n" },
		    { make_task, "tptrace: too many tasks\n" },
		    { make_edge, "tptrace: too many edges\n" },
		    { make_team, "tptrace: a.tpt: too many teams\n" } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_int_equal(status_of(all[i].make), 1);
		check_said_so(all[i].said);
	}
}

TEST_WITH(test_output_goes, set_up, tear_down)
{
	NOT_SANITIZED();
	assert_int_equal(status_of(ask_while_writing), 1);
	check_said();
	assert_int_equal(n_parts(), 0);
}

/* A child that does a part of the work takes nothing away from who waits for it. */
TEST_WITH(test_output_of_parent_stays, set_up, tear_down)
{
	struct output output;
	struct err err;

	NOT_SANITIZED();
	assert_int_equal(output_file(&output, page, &err), 0);
	assert_int_equal(status_of(ask_for_too_much), 1);
	assert_int_equal(n_parts(), 1);
	assert_int_equal(output_keep(&output, &err), 0);
	output_discard(&output);
	assert_int_equal(n_parts(), 1);
}

/* Nothing is something: the end of an array that is empty. */
TEST(test_nothing)
{
	void *at[] = { xmalloc(0), xcalloc(0, 8), xstrdup("") };

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		assert_non_null(at[i]);
		free(at[i]);
	}
}

/* SPDX-License-Identifier: MIT */
/* bytes_test.c - values come back from their bytes, and fewer bytes are told as that. */
#include "tools/summary/bytes.h"

#include <sys/wait.h>
#include <unistd.h>

#include "test/lib/test.h"

#define WORDS 3u

struct value {
	uint64_t number;
	char *text, *none;
	uint32_t *word, n_words;
};

static void value_pass(struct value *value, struct bytes *bytes)
{
	BYTES_PASS(bytes, value->number);
	bytes_pass_text(bytes, &value->text);
	bytes_pass_text(bytes, &value->none);
	bytes_pass_array(bytes, &value->word, &value->n_words, sizeof(*value->word));
}

static void value_free(struct value *value)
{
	free(value->text);
	free(value->word);
}

static char *value_write(size_t *n)
{
	uint32_t word[WORDS] = { 7, 8, 9 };
	char text[] = "text", *at = NULL;
	struct value value = { 5, text, NULL, word, WORDS };
	FILE *out = open_memstream(&at, n);

	value_pass(&value, &(struct bytes){ .out = out });
	fclose(out);
	return at;
}

TEST(test_back)
{
	size_t n;
	char *at = value_write(&n);
	struct bytes bytes = { .at = at, .n = n };
	struct value value = { 0 };

	value_pass(&value, &bytes);
	assert_int_equal(bytes.n, 0);
	assert_int_equal(value.number, 5);
	assert_string_equal(value.text, "text");
	assert_null(value.none);
	assert_int_equal(value.n_words, WORDS);
	assert_int_equal(value.word[2], 9);
	value_free(&value);
	free(at);
}

/* What a process says that reads so many of the bytes, and its exit status. */
static int read_part(const char *at, size_t n, char *said, size_t room)
{
	int pipes[2], status;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (pid == 0) {
		struct value value = { 0 };
		char *part = malloc(n + 1);

		memcpy(part, at, n); /* no byte behind them */
		dup2(pipes[1], STDERR_FILENO);
		value_pass(&value, &(struct bytes){ .at = part, .n = n });
		_exit(0);
	}
	close(pipes[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	memset(said, 0, room);
	assert_true(read(pipes[0], said, room - 1) >= 0);
	close(pipes[0]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(test_cut_short)
{
	size_t n;
	char *at = value_write(&n), said[200];

	assert_int_equal(read_part(at, n, said, sizeof(said)), 0);
	for (size_t part = 0; part < n; part++) {
		assert_int_equal(read_part(at, part, said, sizeof(said)), 1);
		assert_string_equal(said, "tptrace: what another process of tptrace handed over is "
					  "not whole\n");
	}
	free(at);
}

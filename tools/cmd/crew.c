/* SPDX-License-Identifier: MIT */
/* crew.c - forks, collects, and hands over in order. */
#include "tools/cmd/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define BATCHES 16u    /* that each child gets, about: the last ones end at about one time, .. */
#define BATCH_MOST 64u /* .. and what they said is not kept for long */

enum { OUT, ERR, RESULT, N_TEXTS, PIECES = N_TEXTS, N_FILES };

/* What a child notes after each piece. */
struct piece_end {
	int64_t status;
	off_t at[N_TEXTS]; /* how much there is of each */
};

struct child {
	pid_t pid;	   /* 0: none */
	uint32_t from, to; /* its part of the order */
	int file[N_FILES];
};

struct running {
	const struct crew *crew;
	const uint32_t *order;
	struct child *child; /* `width` of them */
	uint32_t width;
	struct crew_done *done;
	bool *is_done;
	uint32_t n, n_taken;
};

static void close_files(struct child *child)
{
	for (int i = 0; i < N_FILES; i++)
		if (child->file[i] >= 0)
			close(child->file[i]);
}

/* In memory; in a folder for such files where the process may have none of these. */
static int open_text(void)
{
	int fd = memfd_create("tptrace", MFD_CLOEXEC);
	FILE *file = fd < 0 ? tmpfile() : NULL;

	if (!file)
		return fd;
	fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
	fclose(file);
	return fd;
}

static bool open_files(struct child *child)
{
	bool all = true;

	for (int i = 0; i < N_FILES; i++) {
		child->file[i] = open_text();
		all &= child->file[i] >= 0;
	}
	return all;
}

static bool note_end(const struct child *child, FILE *result, int status)
{
	struct piece_end end = { .status = status };

	if (fflush(stdout) != 0 || fflush(result) != 0)
		return false;
	for (int i = 0; i < N_TEXTS; i++)
		end.at[i] = lseek(child->file[i], 0, SEEK_CUR);
	return write(child->file[PIECES], &end, sizeof(end)) == sizeof(end);
}

static _Noreturn void be_child(const struct running *running, const struct child *child,
			       pid_t parent)
{
	const struct crew *crew = running->crew;
	FILE *result = fdopen(child->file[RESULT], "w");

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || !result || dup2(child->file[OUT], STDOUT_FILENO) < 0 ||
	    dup2(child->file[ERR], STDERR_FILENO) < 0)
		raise(SIGKILL);
	for (uint32_t i = child->from; i < child->to; i++)
		if (!note_end(child, result, crew->work(crew->context, running->order[i], result)))
			raise(SIGKILL); /* no memory for what it has to say */
	_exit(0);
}

/* 0 or -errno. */
static int begin(const struct running *running, struct child *child, uint32_t from, uint32_t to)
{
	pid_t parent = getpid();
	int error = 0;

	child->from = from;
	child->to = to;
	child->pid = -1;
	if (open_files(child)) {
		fflush(NULL); /* or the child has it, too */
		child->pid = fork();
	}
	if (child->pid == 0)
		be_child(running, child, parent);
	if (child->pid < 0) {
		error = -errno;
		close_files(child);
		child->pid = 0;
	}
	return error;
}

static bool read_whole(int fd, char *out, size_t n, off_t from)
{
	while (n) {
		ssize_t got = pread(fd, out, n, from);

		if (got <= 0)
			return false;
		out += got;
		from += got;
		n -= (size_t)got;
	}
	return true;
}

/* What lies between two places. */
static bool read_back(int fd, off_t from, off_t to, struct crew_bytes *bytes)
{
	bytes->n = (size_t)(to - from);
	bytes->at = malloc(bytes->n + 1);
	if (!bytes->at || !read_whole(fd, bytes->at, bytes->n, from))
		return false;
	bytes->at[bytes->n] = 0;
	return true;
}

static void take_piece(const struct child *child, const struct piece_end *before,
		       const struct piece_end *end, struct crew_done *done)
{
	struct crew_bytes *text[N_TEXTS] = { &done->out, &done->err, &done->result };

	done->status = (int)end->status;
	for (int i = 0; i < N_TEXTS; i++)
		if (!read_back(child->file[i], before->at[i], end->at[i], text[i]))
			done->error = -ENOMEM;
}

/* Those that it has done; the number of the next in the order. */
static uint32_t take_pieces(struct running *running, const struct child *child)
{
	struct piece_end before = { 0 }, end;
	uint32_t i = child->from;

	for (; i < child->to; i++) {
		if (!read_whole(child->file[PIECES], (char *)&end, sizeof(end),
				(off_t)((i - child->from) * sizeof(end))))
			break;
		take_piece(child, &before, &end, &running->done[running->order[i]]);
		running->is_done[running->order[i]] = true;
		before = end;
	}
	return i;
}

static void take_done(struct running *running)
{
	for (; running->n_taken < running->n && running->is_done[running->n_taken];
	     running->n_taken++) {
		struct crew_done *done = &running->done[running->n_taken];

		running->crew->take(running->crew->context, running->n_taken, done);
		free(done->out.at);
		free(done->err.at);
		free(done->result.at);
	}
}

static void fail(struct running *running, uint32_t from, uint32_t to, int status, int error)
{
	for (uint32_t i = from; i < to; i++) {
		running->done[running->order[i]].status = status;
		running->done[running->order[i]].error = error;
		running->is_done[running->order[i]] = true;
	}
}

/* Another child goes on behind the piece that this one crashed at. */
static void end(struct running *running, struct child *child, int status)
{
	uint32_t next = take_pieces(running, child), to = child->to;
	int error = 0;

	close_files(child);
	child->pid = 0;
	if (next == to)
		return;
	fail(running, next, next + 1, WIFSIGNALED(status) ? -WTERMSIG(status) : 0,
	     WIFSIGNALED(status) ? 0 : -EIO);
	if (next + 1 < to)
		error = begin(running, child, next + 1, to);
	if (error)
		fail(running, next + 1, to, 0, error);
}

/* Waits for one of them to end. */
static void await(struct running *running)
{
	int status;
	pid_t pid;

	do
		pid = waitpid(-1, &status, 0);
	while (pid < 0 && errno == EINTR);
	for (uint32_t i = 0; i < running->width; i++)
		if (pid > 0 && running->child[i].pid == pid)
			end(running, &running->child[i], status);
	take_done(running);
}

static bool any_runs(const struct running *running)
{
	for (uint32_t i = 0; i < running->width; i++)
		if (running->child[i].pid)
			return true;
	return false;
}

static struct child *idle(struct running *running)
{
	for (;;) {
		for (uint32_t i = 0; i < running->width; i++)
			if (running->child[i].pid == 0)
				return &running->child[i];
		await(running);
	}
}

static void run_all(struct running *running, uint32_t batch)
{
	for (uint32_t from = 0, to; from < running->n; from = to) {
		struct child *child = idle(running);
		int error;

		to = running->n - from < batch ? running->n : from + batch;
		error = begin(running, child, from, to);
		while (error && any_runs(running)) { /* when another has ended, perhaps */
			await(running);
			error = begin(running, idle(running), from, to);
		}
		if (error)
			fail(running, from, to, 0, error);
	}
	while (any_runs(running))
		await(running);
	take_done(running);
}

int crew_run(const struct crew *crew, const uint32_t *order, uint32_t n, uint32_t width)
{
	uint32_t batch = n / (width * BATCHES) + 1;
	struct running running = { .crew = crew,
				   .order = order,
				   .n = n,
				   .width = width,
				   .child = calloc(width + 1ull, sizeof(*running.child)),
				   .done = calloc(n + 1ull, sizeof(*running.done)),
				   .is_done = calloc(n + 1ull, sizeof(*running.is_done)) };
	bool there = running.child && running.done && running.is_done;

	if (there)
		run_all(&running, batch < BATCH_MOST ? batch : BATCH_MOST);
	free(running.child);
	free(running.done);
	free(running.is_done);
	return there ? 0 : -ENOMEM;
}

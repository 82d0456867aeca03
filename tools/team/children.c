/* SPDX-License-Identifier: MIT */
/* children.c - forks, and reads back what children left. */
#include "tools/team/children.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/base/say.h"
#include "tools/base/xalloc.h"

enum { OUT, ERR, RESULT, N_TEXTS, PIECES = N_TEXTS, N_FILES };

/* What a child notes after each piece. */
struct piece_end {
	int64_t status;
	off_t at[N_TEXTS]; /* how much there is of each */
};

struct child {
	pid_t pid; /* 0: none */
	struct batch batch;
	uint32_t from; /* its first piece */
	int alive;     /* nobody writes to the other end: it is closed when the child ends */
	int file[N_FILES];
};

void crew_done_free(struct crew_done *done)
{
	spooled_free(&done->out);
	spooled_free(&done->err);
	spooled_free(&done->result);
	*done = (struct crew_done){ 0 };
}

void batch_free(struct batch *batch)
{
	free(batch->piece);
	free(batch->names);
	*batch = (struct batch){ 0 };
}

/* ---- a child ---- */

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
		child->file[i] = i == RESULT ? spool_file() : open_text();
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

/* Whatever this process does about them: a child that writes files removes those that are not whole
 * (output.h). */
static void end_at_signals(void)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&set, signals[i]);
	signal(SIGTERM, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static _Noreturn void be_child(const struct children *children, const struct child *child,
			       pid_t parent)
{
	FILE *result = fdopen(child->file[RESULT], "w");

	end_at_signals();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || !result || !say_into(child->file[OUT], child->file[ERR]))
		raise(SIGKILL);
	for (uint32_t i = child->from; i < child->batch.n; i++) {
		const char *name = child->batch.piece[i].name;

		memory_for(name);
		if (!note_end(child, result, children->work(children->context, name, result)))
			raise(SIGKILL); /* no memory for what it has to say */
	}
	_exit(0);
}

/* 0 or -errno.  Its batch is there. */
static int child_begin(const struct children *children, struct child *child)
{
	pid_t parent = getpid();
	int error = 0, alive[2] = { -1, -1 };

	child->pid = -1;
	if (open_files(child) && pipe2(alive, O_CLOEXEC) == 0) {
		fflush(NULL); /* or the child has it, too */
		child->pid = fork();
	}
	if (child->pid == 0)
		be_child(children, child, parent);
	child->alive = alive[0];
	if (child->pid < 0) {
		error = -errno;
		close_files(child);
		if (alive[0] >= 0)
			close(alive[0]);
		child->pid = 0;
	}
	if (alive[1] >= 0)
		close(alive[1]);
	return error;
}

/* ---- what it left ---- */

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

/* What lies between two places.  Results may be large, and wait until those before them came. */
static bool read_back(const struct child *child, int text, off_t from, off_t to,
		      struct spooled *bytes)
{
	size_t n = (size_t)(to - from);

	if (text == RESULT)
		return spooled_map(bytes, child->file[text], from, n);
	*bytes = (struct spooled){ .at = xmalloc(n + 1), .n = n };
	if (!read_whole(child->file[text], bytes->at, n, from))
		return false;
	bytes->at[n] = 0;
	return true;
}

static void take_piece(const struct children *children, const struct child *child, uint32_t i,
		       const struct piece_end *before, const struct piece_end *end)
{
	struct crew_done done = { .status = (int)end->status };
	struct spooled *text[N_TEXTS] = { &done.out, &done.err, &done.result };

	for (int t = 0; t < N_TEXTS; t++)
		if (!read_back(child, t, before->at[t], end->at[t], text[t]))
			done.error = -ENOMEM;
	children->done(children->owner, child->batch.piece[i].number, &done);
}

/* Those that it has done; which one is next, and where what it left of that one begins. */
static uint32_t take_pieces(const struct children *children, const struct child *child,
			    struct piece_end *before)
{
	struct piece_end end;
	uint32_t i = child->from;

	*before = (struct piece_end){ 0 };
	for (; i < child->batch.n; i++) {
		if (!read_whole(child->file[PIECES], (char *)&end, sizeof(end),
				(off_t)((i - child->from) * sizeof(end))))
			break;
		take_piece(children, child, i, before, &end);
		*before = end;
	}
	return i;
}

/* How it ended within a piece: by a signal, or by the piece itself, which said why. */
static struct crew_done crash_of(const struct child *child, const struct piece_end *before,
				 int status)
{
	struct crew_done crash = { .error = -EIO };
	off_t said = lseek(child->file[ERR], 0, SEEK_END);

	if (WIFSIGNALED(status))
		return (struct crew_done){ .status = -WTERMSIG(status) };
	if (WEXITSTATUS(status) && said > before->at[ERR] &&
	    read_back(child, ERR, before->at[ERR], said, &crash.err)) {
		crash.status = WEXITSTATUS(status);
		crash.error = 0;
	}
	return crash;
}

/* Another one goes on behind the piece that this one crashed at. */
static void end(struct children *children, struct child *child, int status)
{
	struct piece_end before;
	uint32_t next = take_pieces(children, child, &before);
	struct crew_done crash = crash_of(child, &before, status);
	int error = 0;

	close_files(child);
	close(child->alive);
	child->pid = 0;
	if (next < child->batch.n)
		children->done(children->owner, child->batch.piece[next++].number, &crash);
	child->from = next;
	if (next < child->batch.n)
		error = child_begin(children, child);
	if (error)
		children_fail(children, &child->batch, next, error);
	if (!child->pid)
		batch_free(&child->batch);
}

/* ---- all of them ---- */

void children_open(struct children *children, uint32_t width)
{
	children->width = width;
	children->child = xcalloc(width + 1ull, sizeof(*children->child));
}

void children_close(struct children *children)
{
	free(children->child);
	children->child = NULL;
}

static struct child *find_idle(const struct children *children)
{
	for (uint32_t i = 0; i < children->width; i++)
		if (!children->child[i].pid)
			return &children->child[i];
	return NULL;
}

bool children_idle(const struct children *children)
{
	return find_idle(children) != NULL;
}

bool children_any(const struct children *children)
{
	for (uint32_t i = 0; i < children->width; i++)
		if (children->child[i].pid)
			return true;
	return false;
}

int children_begin(struct children *children, const struct batch *batch)
{
	struct child *child = find_idle(children);

	child->batch = *batch;
	child->from = 0;
	return child_begin(children, child);
}

void children_fail(struct children *children, const struct batch *batch, uint32_t from, int error)
{
	for (uint32_t i = from; i < batch->n; i++)
		children->done(children->owner, batch->piece[i].number,
			       &(struct crew_done){ .error = error });
}

uint32_t children_polled(const struct children *children, struct pollfd *fd)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < children->width; i++)
		if (children->child[i].pid)
			fd[n++] = (struct pollfd){ .fd = children->child[i].alive };
	return n;
}

void children_look(struct children *children, const struct pollfd *fd, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t c = 0; fd[i].revents && c < children->width; c++) {
			struct child *child = &children->child[c];
			int status = 0;

			if (!child->pid || child->alive != fd[i].fd)
				continue;
			while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
				;
			end(children, child, status);
			break;
		}
	}
}

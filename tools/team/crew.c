/* SPDX-License-Identifier: MIT */
/* crew.c - hands pieces to children and ranks, and what they made of them over in order. */
#include "tools/team/crew.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"

#define BATCHES 16u    /* that each child gets, at least: the last ones end at about one time, .. */
#define BATCH_MOST 64u /* .. and what they said is not kept for long */

struct running {
	const struct crew *crew;
	const uint32_t *order;
	struct children children;
	struct crew_done *done;
	bool *is_done;
	uint32_t n, n_given, n_taken;
	uint32_t *batch_of; /* [piece] that another rank does */
	uint32_t *left;	    /* [batch] pieces of it */
	uint32_t n_batches;
	uint32_t *n_out; /* [rank] batches that it has */
	struct pollfd *fd;
};

static uint32_t n_ranks(const struct crew *crew)
{
	return crew->ranks ? crew->ranks->seat.n : 1;
}

/* ---- batches ---- */

/* Fewer and fewer: the last batches are single pieces. */
static uint32_t next_batch(const struct running *running)
{
	uint32_t left = running->n - running->n_given;
	uint64_t n = left / ((uint64_t)running->crew->width * n_ranks(running->crew) * BATCHES);

	return n > BATCH_MOST ? BATCH_MOST : n ? (uint32_t)n : left > 0;
}

static void store(void *owner, uint32_t piece, struct crew_done *done)
{
	struct running *running = owner;

	running->done[piece] = *done;
	running->is_done[piece] = true;
}

static void fail_rest(struct running *running, int error)
{
	for (uint32_t i = 0; i < running->n; i++)
		if (!running->is_done[i])
			store(running, i, &(struct crew_done){ .error = error });
	running->n_given = running->n;
}

static bool any_elsewhere(const struct running *running)
{
	for (uint32_t r = 1; r < n_ranks(running->crew); r++)
		if (running->n_out[r])
			return true;
	return false;
}

/* To a child of this process; false if none can be begun now. */
static bool give_here(struct running *running)
{
	struct batch batch = { .n = next_batch(running) };
	int error;

	batch.piece = xmalloc((batch.n + 1ull) * sizeof(*batch.piece));
	for (uint32_t i = 0; i < batch.n; i++) {
		uint32_t piece = running->order[running->n_given + i];

		batch.piece[i] =
			(struct piece){ piece, running->crew->name(running->crew->context, piece) };
	}
	error = children_begin(&running->children, &batch);
	if (!error) {
		running->n_given += batch.n;
		return true;
	}
	batch_free(&batch);
	if (!children_any(&running->children) && !any_elsewhere(running))
		fail_rest(running, error); /* nothing will end that could make room */
	return false;
}

/* Pieces as a message: the number of each, and its name with the 0 at its end. */
static int give_rank(struct running *running, uint32_t rank)
{
	const struct crew *crew = running->crew;
	struct message message = { .kind = MESSAGE_BATCH, .number = next_batch(running) };
	FREED char *text = NULL;
	size_t bytes = 0;
	FILE *out = xopen_memstream(&text, &bytes);
	int error;

	for (uint32_t i = 0; i < message.number; i++) {
		uint32_t piece = running->order[running->n_given + i];
		const char *name = crew->name(crew->context, piece);

		fwrite(&piece, sizeof(piece), 1, out);
		fwrite(name, 1, strlen(name) + 1, out);
		running->batch_of[piece] = running->n_batches;
	}
	xclose_memstream(out);
	message.n_bytes[0] = bytes;
	error = ranks_send(crew->ranks, rank, &message, (const void *[MESSAGE_TEXTS]){ text });
	running->left[running->n_batches++] = message.number;
	running->n_given += message.number;
	running->n_out[rank]++;
	return error;
}

/* A batch more than it has children waits there, so that a child need not wait for a message; not
 * at the end, when another rank would begin it earlier. */
static bool wants_more(const struct running *running, uint32_t rank)
{
	uint64_t n_children = (uint64_t)running->crew->width * n_ranks(running->crew);

	return running->n_out[rank] <
	       running->crew->width + (running->n - running->n_given > n_children);
}

static int give(struct running *running)
{
	bool any = true;
	int error = 0;

	while (any && !error) { /* one each, in turn: the first are the longest */
		any = false;
		for (uint32_t r = 1; r < n_ranks(running->crew) && !error; r++) {
			if (running->n_given == running->n || !wants_more(running, r))
				continue;
			error = give_rank(running, r);
			any = true;
		}
		if (running->n_given < running->n && children_idle(&running->children))
			any |= give_here(running);
	}
	return error;
}

/* ---- what comes back ---- */

static void take_result(struct running *running, uint32_t rank, const struct message *message,
			struct spooled text[MESSAGE_TEXTS], int error)
{
	uint32_t piece = message->number;
	struct crew_done done = { .status = message->status,
				  .error = error ? error : message->error,
				  .rank = rank,
				  .out = text[0],
				  .err = text[1],
				  .result = text[2] };

	if (message->kind != MESSAGE_RESULT || piece >= running->n || running->is_done[piece]) {
		crew_done_free(&done);
		return;
	}
	spooled_move(&done.result); /* it waits for those before it */
	store(running, piece, &done);
	if (--running->left[running->batch_of[piece]] == 0)
		running->n_out[rank]--;
}

static int hear_ranks(struct running *running)
{
	struct ranks *ranks = running->crew->ranks;
	int error = ranks_receive(ranks);

	for (uint32_t r = 1; r < ranks->seat.n; r++) {
		struct spooled text[MESSAGE_TEXTS];
		struct message message;
		int next;

		while ((next = ranks_next(ranks, r, &message, text)))
			take_result(running, r, &message, text, next < 0 ? next : 0);
	}
	return error;
}

static void take_done(struct running *running)
{
	for (; running->n_taken < running->n && running->is_done[running->n_taken];
	     running->n_taken++) {
		struct crew_done *done = &running->done[running->n_taken];

		running->crew->take(running->crew->context, running->n_taken, done);
		crew_done_free(done);
	}
}

/* Waits until a child ends, and sees to that, or until ranks say something: then true. */
static bool await(struct children *children, const struct ranks *ranks, struct pollfd *fd)
{
	uint32_t n = children_polled(children, fd);

	if (ranks)
		fd[n] = (struct pollfd){ .fd = ranks->socket, .events = POLLIN };
	if (poll(fd, n + (ranks != NULL), -1) < 0)
		return false;
	children_look(children, fd, n);
	return ranks && fd[n].revents;
}

static int run_all(struct running *running)
{
	struct ranks *ranks = running->crew->ranks;
	int error = 0;

	while (running->n_taken < running->n) {
		bool heard = false;

		if (!error)
			error = give(running);
		if (error && !children_any(&running->children))
			fail_rest(running, error);
		take_done(running);
		if (children_any(&running->children) || (!error && any_elsewhere(running)))
			heard = await(&running->children, error ? NULL : ranks, running->fd);
		if (heard)
			error = hear_ranks(running);
		take_done(running);
	}
	return error;
}

void crew_dismiss(const struct crew *crew)
{
	const struct message message = { .kind = MESSAGE_BYE };

	for (uint32_t r = 1; r < n_ranks(crew); r++)
		ranks_send(crew->ranks, r, &message, (const void *[MESSAGE_TEXTS]){ NULL });
}

int crew_run(const struct crew *crew, const uint32_t *order, uint32_t n)
{
	struct running running = { .crew = crew,
				   .order = order,
				   .n = n,
				   .done = xcalloc(n + 1ull, sizeof(*running.done)),
				   .is_done = xcalloc(n + 1ull, sizeof(*running.is_done)),
				   .batch_of = xcalloc(n + 1ull, sizeof(*running.batch_of)),
				   .left = xcalloc(n + 1ull, sizeof(*running.left)),
				   .n_out = xcalloc(n_ranks(crew), sizeof(*running.n_out)),
				   .fd = xcalloc(crew->width + 1ull, sizeof(*running.fd)) };
	int error;

	children_open(&running.children, crew->width);
	running.children.work = crew->work;
	running.children.context = crew->work_context;
	running.children.done = store;
	running.children.owner = &running;
	error = run_all(&running);
	children_close(&running.children);
	free(running.done);
	free(running.is_done);
	free(running.batch_of);
	free(running.left);
	free(running.n_out);
	free(running.fd);
	return error;
}

/* ---- on the other ranks ---- */

struct waiting {
	struct waiting *next;
	struct batch batch;
};

struct serving {
	const struct crew *crew;
	struct children children;
	struct waiting *first, **last;
	bool over; /* rank 0 said so */
	int error;
	struct pollfd *fd;
};

static void send_result(void *owner, uint32_t piece, struct crew_done *done)
{
	struct serving *serving = owner;
	const struct message message = { .kind = MESSAGE_RESULT,
					 .number = piece,
					 .status = done->status,
					 .error = done->error,
					 .n_bytes = { done->out.n, done->err.n, done->result.n } };
	const void *const text[] = { done->out.at, done->err.at, done->result.at };

	if (!serving->error)
		serving->error = ranks_send(serving->crew->ranks, 0, &message, text);
	crew_done_free(done);
}

/* What give_rank() made; the names stay where they are. */
static int read_batch(struct batch *batch, uint32_t n, struct spooled *text)
{
	const char *at = text->at, *end = text->at + text->n;

	*batch = (struct batch){ .n = n, .names = text->at };
	if (n > text->n / (sizeof(batch->piece->number) + 1))
		return -EPROTO;
	batch->piece = xcalloc(n + 1ull, sizeof(*batch->piece));
	for (uint32_t i = 0; i < n; i++) {
		if ((size_t)(end - at) <= sizeof(batch->piece->number))
			return -EPROTO;
		memcpy(&batch->piece[i].number, at, sizeof(batch->piece->number));
		at += sizeof(batch->piece->number);
		batch->piece[i].name = at;
		at += strlen(at) + 1; /* there is a 0 behind the text */
	}
	return 0;
}

static void take_batch(struct serving *serving, const struct message *message, struct spooled *text)
{
	struct waiting *waiting = xcalloc(1, sizeof(*waiting));
	int error = read_batch(&waiting->batch, message->number, text);

	if (!error) {
		*serving->last = waiting;
		serving->last = &waiting->next;
		return;
	}
	serving->error = error;
	batch_free(&waiting->batch);
	free(waiting);
}

static void hear_rank_0(struct serving *serving)
{
	struct spooled text[MESSAGE_TEXTS];
	struct message message;
	int next;

	serving->error = ranks_receive(serving->crew->ranks);
	while (!serving->error && (next = ranks_next(serving->crew->ranks, 0, &message, text))) {
		serving->over |= message.kind == MESSAGE_BYE;
		if (next < 0)
			serving->error = next;
		else if (message.kind == MESSAGE_BATCH)
			take_batch(serving, &message, &text[0]);
		for (int i = next > 0 && message.kind == MESSAGE_BATCH; i < MESSAGE_TEXTS; i++)
			free(text[i].at);
	}
}

static void begin_waiting(struct serving *serving)
{
	while (serving->first && children_idle(&serving->children)) {
		struct waiting *waiting = serving->first;
		int error = children_begin(&serving->children, &waiting->batch);

		if (error && children_any(&serving->children))
			return; /* when another has ended, perhaps */
		if (error) {
			children_fail(&serving->children, &waiting->batch, 0, error);
			batch_free(&waiting->batch);
		}
		serving->first = waiting->next;
		if (!serving->first)
			serving->last = &serving->first;
		free(waiting);
	}
}

int crew_serve(const struct crew *crew)
{
	struct serving serving = { .crew = crew,
				   .fd = xcalloc(crew->width + 1ull, sizeof(*serving.fd)) };

	serving.children = (struct children){ .work = crew->work,
					      .context = crew->work_context,
					      .done = send_result,
					      .owner = &serving };
	serving.last = &serving.first;
	children_open(&serving.children, crew->width);
	serving.error = 0;
	while (!serving.error && !serving.over) {
		begin_waiting(&serving);
		if (await(&serving.children, crew->ranks, serving.fd))
			hear_rank_0(&serving);
	}
	children_close(&serving.children);
	free(serving.fd);
	return serving.error;
}

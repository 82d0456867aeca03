/* SPDX-License-Identifier: MIT */
/* held_sessions.c - keeps descriptors of sessions. */
#include "tools/launch/held_sessions.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/session/clock.h"
#include "collector/trace/grow.h"

#include "tools/base/order.h"

static void close_session(const struct serve_kept *session)
{
	if (session->memory >= 0)
		close(session->memory);
	if (session->pidfd >= 0)
		close(session->pidfd);
}

static void hold(struct held *held, const struct serve_kept *session)
{
	struct serve_left *left = &held->left;

	if (grow(&left->kept, left->n, 1, sizeof(*session)))
		left->kept[left->n++] = *session;
	else
		close_session(session);
}

void held_heed(struct held *held, const struct serve_message *message,
	       const struct serve_kept *session)
{
	struct serve_left *left = &held->left;

	if (message->kind == SERVE_KEEP && session->memory >= 0)
		hold(held, session);
	if (message->kind != SERVE_LET_GO)
		return;
	for (uint32_t i = 0; i < left->n; i++)
		if (left->kept[i].inode == message->inode) {
			close_session(&left->kept[i]);
			left->kept[i] = left->kept[--left->n];
			return;
		}
}

void held_note_end(struct held *held, int pid, int status)
{
	struct serve_left *left = &held->left;

	for (uint32_t i = 0; i < left->n; i++)
		if (left->kept[i].pid == pid && left->kept[i].status < 0)
			left->kept[i].status = status;
}

void held_note_death(struct held *held, int status)
{
	held->left.died_ns = clock_monotonic_ns();
	held->left.died_of = (uint32_t)status | SESSION_DIED_KNOWN;
}

ORDER(by_number, int, *x - *y)

void held_close_others(const struct held *held, int a, int b)
{
	const struct serve_left *left = &held->left;
	int *keep = malloc((2 * left->n + 2) * sizeof(*keep));
	unsigned from = 3;
	size_t n = 0;

	if (!keep)
		_exit(ENOMEM);
	keep[n++] = a;
	keep[n++] = b;
	for (uint32_t i = 0; i < left->n; i++) {
		keep[n++] = left->kept[i].memory;
		keep[n++] = left->kept[i].pidfd;
	}
	qsort(keep, n, sizeof(*keep), by_number);
	for (size_t i = 0; i < n; i++) {
		if (keep[i] > (int)from)
			syscall(__NR_close_range, from, keep[i] - 1, 0);
		if (keep[i] >= (int)from)
			from = (unsigned)keep[i] + 1;
	}
	syscall(__NR_close_range, from, ~0u, 0);
	free(keep);
}

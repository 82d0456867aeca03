/* SPDX-License-Identifier: MIT */
/* ranks_test.c - frames are sorted by rank, and one of no rank is an error. */
#include "tools/team/ranks.h"

#include <sys/socket.h>
#include <unistd.h>

#include "test/lib/test.h"
#include "tools/mpi/frame.h"

#define N 3u

/* A frame of two bytes from each of these ranks; what ranks_receive() says of them. */
static int receive(struct ranks *ranks, struct arrived *in, const uint32_t *rank, int n)
{
	int pair[2], error;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	*ranks = (struct ranks){ .seat.n = N, .socket = pair[0], .in = in };
	for (int i = 0; i < n; i++) {
		const struct frame frame = { rank[i], 2 };

		assert_int_equal(write(pair[1], &frame, sizeof(frame)), sizeof(frame));
		assert_int_equal(write(pair[1], &"abcdefgh"[2 * i], 2), 2);
	}
	error = ranks_receive(ranks);
	close(pair[0]);
	close(pair[1]);
	free(ranks->frames.at);
	return error;
}

TEST(test_frames_are_sorted_by_rank)
{
	struct arrived in[N] = { 0 };
	struct ranks ranks;

	assert_int_equal(receive(&ranks, in, (uint32_t[]){ 2, 0, 2 }, 3), 0);
	assert_int_equal(in[0].n, 2);
	assert_int_equal(in[1].n, 0);
	assert_int_equal(in[2].n, 4);
	assert_memory_equal(in[0].at, "cd", 2);
	assert_memory_equal(in[2].at, "abef", 4);
	for (uint32_t r = 0; r < N; r++)
		free(in[r].at);
}

TEST(test_a_frame_of_no_rank)
{
	static const uint32_t none[] = { N, N + 1, FRAME_END };

	for (int i = 0; i < 3; i++) {
		struct arrived in[N + 2] = { 0 }; /* what lies behind them is seen */
		struct ranks ranks;

		assert_int_equal(receive(&ranks, in, (uint32_t[]){ 1, none[i] }, 2), -EPROTO);
		assert_int_equal(in[1].n, 2);
		assert_int_equal(in[N].n + in[N + 1].n, 0);
		free(in[1].at);
	}
}

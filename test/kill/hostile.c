/* SPDX-License-Identifier: MIT */
/*
 * hostile.c RING SEED [OUTPUT FOLDER PROGRAM] - a traced program that lies to the collector
 * outside.
 *
 * Hands over a copy of what a killed program left, with words overwritten, before and while it is
 * collected; SEED 0 leaves the numbers as they are.  With texts, those are what it says of itself.
 * Prints the answer that it got: y, it was taken in, or n.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/session/hello.h"
#include "collector/session/layout.h"
#include "collector/session/chunk.h"
#include "collector/session/futex.h"

#define ROUNDS 200
#define FIRST ((ssize_t)offsetof(struct session, module)) /* what is read to know the rest */

#define HEAD(field) offsetof(struct session, field)
static const size_t head_words[] = {
	HEAD(state),
	HEAD(wake),
	HEAD(clock),
	HEAD(begin),
	HEAD(end),
	HEAD(chunks),
	HEAD(chunks.slots),
	HEAD(head_bytes),
	HEAD(stride),
	HEAD(stride),
	HEAD(gate),
	HEAD(shut),
	HEAD(started_ticks),
	HEAD(asked),
	HEAD(options),
	HEAD(shift),
	HEAD(process),
	HEAD(process.program),
	HEAD(process.output),
	HEAD(process.folder),
	HEAD(process.rank),
	HEAD(process.host),
	HEAD(trace),
	HEAD(n_workers),
	HEAD(n_workers),
	HEAD(n_refused),
	HEAD(n_runtimes),
	HEAD(runtime),
	HEAD(text_bytes),
	HEAD(n_sites),
	HEAD(n_sites),
	HEAD(n_modules),
	HEAD(n_modules),
	HEAD(n_marks),
	HEAD(marks_taken),
	HEAD(mark_room),
	HEAD(module),
	HEAD(site),
	HEAD(options.max_bytes),
	HEAD(options.keep_last),
};
#define WORKER(field) offsetof(struct worker, field)
#define CHUNK(i, field)                                                                            \
	(sizeof(struct worker) + (i) * sizeof(struct chunk) + offsetof(struct chunk, field))
static const size_t worker_words[] = {
	WORKER(head),	 WORKER(head),	  WORKER(limit),      WORKER(n_chunks),
	WORKER(slot),	 WORKER(task),	  WORKER(last_id),    WORKER(index),
	WORKER(gap),	 WORKER(lost),	  WORKER(in_use),     WORKER(tail),
	WORKER(waiting), WORKER(written), WORKER(written[1]), WORKER(reached),
	CHUNK(0, word),	 CHUNK(1, word),  CHUNK(2, word),     CHUNK(0, first),
	CHUNK(1, first), CHUNK(0, made),  CHUNK(1, made),     CHUNK(0, n_thinned),
	CHUNK(0, end),	 CHUNK(1, end),	  CHUNK(0, before),   CHUNK(1, before),
};
static const uint64_t values[] = { 0,
				   1,
				   2,
				   0xffffffff,
				   UINT64_C(1) << 32,
				   UINT64_C(1) << 47,
				   UINT64_MAX,
				   UINT64_C(1) << 63,
				   4096,
				   65536,
				   0x3fff,
				   INT64_MAX };
#define N(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t state;

static uint64_t next(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

/* Overwrites a word of what is mapped. */
static void spoil(char *memory, size_t head_bytes, size_t stride, size_t bytes)
{
	uint64_t value = next(3) ? values[next(N(values))] : next(1 << 20);
	uint64_t which = next(4);
	size_t at = next(bytes / 8) * 8;

	if (which < 2)
		at = head_words[next(N(head_words))];
	else if (which == 2)
		at = head_bytes + next(2) * stride + worker_words[next(N(worker_words))];
	if (at + 8 <= bytes)
		memcpy(memory + at, &value, next(2) ? 4 : 8);
}

static void say_text(struct session *session, session_text *where, uint32_t at, const char *text)
{
	snprintf(session->text + at, 4096, "%s", text);
	*where = at;
}

static int hand_over(int memory)
{
	const char *name = getenv(HELLO_VARIABLE);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct hello hello = { .layout = SESSION_LAYOUT };
	struct iovec piece = { &hello, sizeof(hello) };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct msghdr message = { .msg_iov = &piece,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	char answer = '-';

	memcpy(hello.magic, HELLO_MAGIC, sizeof(hello.magic));
	if (!name || fd < 0)
		return '-';
	strncpy(address.sun_path + 1, name, sizeof(address.sun_path) - 2);
	*CMSG_FIRSTHDR(&message) = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
						     .cmsg_type = SCM_RIGHTS,
						     .cmsg_len = CMSG_LEN(sizeof(int)) };
	memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &memory, sizeof(int));
	if (connect(fd, (struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) < 0 ||
	    sendmsg(fd, &message, MSG_NOSIGNAL) < 0 || recv(fd, &answer, 1, 0) != 1)
		return '-';
	return answer;
}

int main(int argc, char **argv)
{
	int ring = argc > 2 ? open(argv[1], O_RDONLY) : -1;
	int memory = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct session first;
	struct stat st;

	state = argc > 2 ? strtoull(argv[2], NULL, 10) * 2654435761u : 0;
	if (ring < 0 || memory < 0 || fstat(ring, &st) < 0 ||
	    pread(ring, &first, FIRST, 0) != FIRST)
		return 2;

	size_t bytes = first.head_bytes + 2 * first.stride, length = (size_t)st.st_size;

	if (state && next(8) == 0)
		length = next(length / 4096) * 4096;
	if (ftruncate(memory, (off_t)(length > bytes ? length : bytes)) < 0)
		return 2;
	char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	struct session *session = (struct session *)map;

	if (map == MAP_FAILED || pread(ring, map, bytes, 0) != (ssize_t)bytes)
		return 2;
	atomic_store(&session->state, SESSION_ON);
	if (argc > 5) {
		say_text(session, &session->process.output, 1 << 20, argv[3]);
		say_text(session, &session->process.folder, 2 << 20, argv[4]);
		say_text(session, &session->process.program, 3 << 20, argv[5]);
	}
	for (uint64_t n = state ? next(4) : 0; n > 0; n--)
		spoil(map, first.head_bytes, first.stride, bytes);
	if (length < bytes && ftruncate(memory, (off_t)length) < 0)
		return 2;
	if (!state || next(8))
		fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
	int answer = hand_over(memory);

	for (int i = 0; answer == HELLO_YES && i < ROUNDS; i++) {
		if (state && i % 8 == 0)
			spoil(map, first.head_bytes, first.stride, bytes);
		atomic_fetch_add(&session->wake, 1);
		futex_wake(&session->wake);
		usleep(100);
	}
	printf("%c\n", answer);
	return 0;
}

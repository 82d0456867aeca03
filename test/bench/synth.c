/* SPDX-License-Identifier: MIT */
/*
 * synth.c - writes the trace of a made-up run of any length: "events N tasks N bytes N"; or that of
 * one rank of a job, in which each round has five tasks, and a message to the next rank.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/bench/play.h"

static const char usage[] = "usage: synth fork-join|flat-loop|breadth-first EVENTS FILE\n"
			    "       synth ranks EVENTS FILE RANK RANKS\n";
static const char *const shape_name[PLAY_SHAPES] = { "fork-join", "flat-loop", "breadth-first" };
static const unsigned events_per_task[PLAY_SHAPES] = { 5, 4, 5 };

/* ---- one rank of a job ---- */

#define TASKS 5u
#define ROUND_EVENTS (6u * TASKS + 2u * 7u)
#define ROUND_NS 100000u

static void put_message(struct writer *writer, uint64_t ns, const uint64_t (*field)[2])
{
	writer_put(writer, 0, ns, WIRE_WAIT, PLAY_SITE_WAIT | (uint64_t)WIRE_WAIT_MESSAGE << 32);
	for (int i = 0; i < 5; i++)
		writer_put(writer, 0, ns, WIRE_MESSAGE, field[i][1] | field[i][0] << 56);
}

/* When a rank's tasks of a round are done: each knows that of the others. */
static uint64_t done_ns(uint64_t rank, uint64_t round)
{
	uint64_t random = (rank * 1000003 + round) * 0x9e3779b97f4a7c15u >> 40;

	return (round + 1) * ROUND_NS - 10000 - random % (ROUND_NS / 2);
}

static void put_round(struct writer *writer, uint64_t rank, uint64_t ranks, uint64_t round)
{
	uint64_t begin = round * ROUND_NS, end = done_ns(rank, round), ns = begin,
		 root = id_make(0, 1);
	uint64_t next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
	uint64_t sent_ns = done_ns(last, round), length = (end - begin) / TASKS;
	const uint64_t send[5][2] = { { WIRE_MESSAGE_TO, next },
				      { WIRE_MESSAGE_COMM, 1 },
				      { WIRE_MESSAGE_ORDER, round + 1 },
				      { WIRE_MESSAGE_TAG, 7 },
				      { WIRE_MESSAGE_BYTES, 4096 } };
	uint64_t take[5][2];

	memcpy(take, send, sizeof(take));
	take[0][0] = WIRE_MESSAGE_FROM;
	take[0][1] = last;
	for (uint64_t i = 0; i < TASKS; i++) {
		writer_put(writer, 0, ns, WIRE_CREATE, PLAY_SITE_TASK);
		writer_put(writer, 0, ns, WIRE_RESUME, root);
		writer_put(writer, 0, ns, WIRE_WAIT,
			   PLAY_SITE_WAIT | (uint64_t)WIRE_WAIT_CHILDREN << 32);
		writer_put(writer, 0, ns, WIRE_BEGIN, id_make(0, round * TASKS + i + 2));
		ns += length - 20;
		writer_put(writer, 0, ns, WIRE_END, 0);
		writer_put(writer, 0, ns, WIRE_RESUME, root);
		ns += 20;
	}
	put_message(writer, end, send);
	writer_put(writer, 0, end + 500, WIRE_RESUME, root);
	put_message(writer, end + 600, take);
	writer_put(writer, 0, (sent_ns > end ? sent_ns : end) + 1500, WIRE_RESUME, root);
}

static void put_rank(struct writer *writer, uint64_t n_events, uint64_t rank, uint64_t ranks)
{
	char defs[300];

	writer_put(writer, 0, 0, WIRE_ROOT, 0);
	for (uint64_t round = 0; round < n_events / ROUND_EVENTS; round++)
		put_round(writer, rank, ranks, round);
	writer_put(writer, 0, n_events / ROUND_EVENTS * ROUND_NS, WIRE_END, 0);
	snprintf(defs, sizeof(defs),
		 "clock ns\nmeta rank %llu\nmeta ranks %llu\nmeta host synth\n"
		 "runtime 0 name=synth version=1 workers=1\n"
		 "site %u runtime=0 name=task file=synth.c line=1\n"
		 "site %u runtime=0 name=MPI file=synth.c line=2\n",
		 (unsigned long long)rank, (unsigned long long)ranks, PLAY_SITE_TASK,
		 PLAY_SITE_WAIT);
	writer_close(writer, defs);
	trace_file_close(&writer->file);
}

int main(int argc, char **argv)
{
	uint64_t n_events = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
	struct writer writer;
	struct play play = { .out = &writer };
	char defs[300];

	if (argc == 6 && strcmp(argv[1], "ranks") == 0) {
		writer_open(&writer, argv[3], 1);
		put_rank(&writer, strtoull(argv[2], NULL, 10), strtoull(argv[4], NULL, 10),
			 strtoull(argv[5], NULL, 10));
		return 0;
	}
	while (argc == 4 && play.shape < PLAY_SHAPES && strcmp(argv[1], shape_name[play.shape]))
		play.shape++;
	if (argc != 4 || play.shape == PLAY_SHAPES || n_events < 20 || n_events > 4000000000u) {
		fputs(usage, stderr);
		return 2;
	}
	uint32_t n_tasks = (uint32_t)(n_events / events_per_task[play.shape]);

	writer_open(&writer, argv[3], PLAY_WORKERS);
	play_run(&play, n_tasks);
	snprintf(defs, sizeof(defs),
		 "clock ns\n"
		 "runtime 0 name=synth version=1 workers=%u\n"
		 "site %u runtime=0 name=%s file=synth.c line=1\n"
		 "site %u runtime=0 name=wait file=synth.c line=2\n",
		 PLAY_WORKERS, PLAY_SITE_TASK, shape_name[play.shape], PLAY_SITE_WAIT);
	writer_close(&writer, defs);
	printf("events %llu tasks %u bytes %llu\n", (unsigned long long)writer.file.n_events,
	       n_tasks, (unsigned long long)writer.file.bytes);
	trace_file_close(&writer.file);
	return 0;
}

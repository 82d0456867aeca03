/* SPDX-License-Identifier: MIT */
/* synth.c - writes the trace of a made-up run of any length: "events N tasks N bytes N". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/bench/play.h"

static const char usage[] = "usage: synth fork-join|flat-loop|breadth-first EVENTS FILE\n";
static const char *const shape_name[PLAY_SHAPES] = { "fork-join", "flat-loop", "breadth-first" };
static const unsigned events_per_task[PLAY_SHAPES] = { 5, 4, 5 };

int main(int argc, char **argv)
{
	uint64_t n_events = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
	struct writer writer;
	struct play play = { .out = &writer };
	char defs[300];

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

/* SPDX-License-Identifier: MIT */
/* why_none.c - weighs what each program says: those with a task runtime first, then the last. */
#include "tools/launch/why_none.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/session/launched.h"
#include "collector/session/runtime_libraries.h"
#include "tools/base/say.h"
#include "tools/launch/target.h"

#define SEARCH_BYTES (256u << 20) /* of files in all, for names of runtimes' functions */

/* How telling a program is. */
enum weight { NOTHING, NO_RUNTIME, NOT_REACHED, HAD_RUNTIME, HAS_RUNTIME };

struct program {
	uint32_t flags;
	char path[sizeof(((struct launched_program *)0)->path)];
	char runtime[sizeof(((struct launched_program *)0)->runtime)];
};

/* Whether the file calls a runtime, or has one linked into it: by names that are there unless it is
 * static and stripped. */
static bool calls_runtime(const char *path, size_t *left)
{
	static const char *const name[] = { "GOMP_parallel",	  "GOMP_task",
					    "__kmpc_fork_call",	  "libtbb.so",
					    "qthread_initialize", "myth_create",
					    "starpu_init",	  "__cilkrts_",
					    "ABT_thread_create" };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	void *file = MAP_FAILED;
	bool calls = false;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    st.st_size <= (off_t)*left)
		file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file != MAP_FAILED) {
		*left -= (size_t)st.st_size;
		for (size_t i = 0; !calls && i < sizeof(name) / sizeof(name[0]); i++)
			calls = memmem(file, (size_t)st.st_size, name[i], strlen(name[i])) != NULL;
		munmap(file, (size_t)st.st_size);
	}
	if (fd >= 0)
		close(fd);
	return calls;
}

/* Anything may be there: a copy that has an end.  False without a file: an exec may have failed. */
static bool read_program(struct program *out, const struct launched_program *said)
{
	struct stat st;

	out->flags = atomic_load(&said->flags);
	memcpy(out->path, said->path, sizeof(out->path));
	memcpy(out->runtime, said->runtime, sizeof(out->runtime));
	out->path[sizeof(out->path) - 1] = out->runtime[sizeof(out->runtime) - 1] = 0;
	return out->flags && out->path[0] == '/' && stat(out->path, &st) == 0 &&
	       S_ISREG(st.st_mode);
}

static enum weight weigh_executed(const struct program *program, struct why_none *why, size_t *left)
{
	const char *reason = target_why_not(program->path);

	if (!reason && !(program->flags & (LAUNCHED_BARE | LAUNCHED_APART)))
		return NOTHING;
	why->may_record = !reason && !(program->flags & LAUNCHED_BARE);
	if (reason)
		snprintf(why->text, sizeof(why->text), "%s %s", program->path, reason);
	else if (program->flags & LAUNCHED_BARE)
		snprintf(
			why->text, sizeof(why->text),
			"%s was started without tptrace's libraries in LD_PRELOAD, as by env -i or "
			"sudo; put `tptrace record` right before it",
			program->path);
	else
		snprintf(why->text, sizeof(why->text),
			 "%s runs in a sandbox, from where record cannot be reached, and collects "
			 "by itself; look for its trace there, or put `tptrace record` right "
			 "before it",
			 program->path);
	return calls_runtime(program->path, left) ? HAS_RUNTIME : NOT_REACHED;
}

static enum weight weigh_ended(const struct program *program, struct why_none *why, size_t *left)
{
	const struct runtime_library *library = runtime_library(program->runtime);
	const char *path = program->path, *file = program->runtime;
	const size_t room = sizeof(why->text);

	why->may_record = false;
	if (!library && calls_runtime(path, left)) {
		snprintf(why->text, room,
			 "%s has its task runtime linked into it statically; link it as a shared "
			 "library",
			 path);
		return HAS_RUNTIME;
	}
	if (!library) {
		snprintf(why->text, room,
			 "%s had no task runtime in memory; tptrace-runtimes(7) has those that "
			 "tptrace knows",
			 path);
		return NO_RUNTIME;
	}
	if (!library->has_shim)
		snprintf(why->text, room,
			 "%s uses %s (%s), which tptrace does not trace; tptrace-runtimes(7) has "
			 "what it does, and tptrace-task(7) how to mark tasks",
			 path, library->name, file);
	else if (program->flags & LAUNCHED_NO_TOOL && strcmp(library->name, "libomp") == 0)
		snprintf(why->text, room,
			 "OMP_TOOL=disabled kept tptrace out of %s of %s; unset it", file, path);
	else if (strncmp(file, "libmyth-dl", strlen("libmyth-dl")) == 0)
		snprintf(why->text, room,
			 "%s had %s in memory, but no task of it was seen; libtpshim_mthdl.so sees "
			 "its pthread functions if COMMAND itself is linked to it, or LD_PRELOAD "
			 "names it",
			 path, file);
	else
		snprintf(why->text, room,
			 "%s had %s in memory, but no task and no parallel region of it was seen",
			 path, file);
	return HAD_RUNTIME;
}

/* Whether one that was said later has the same file and says the same. */
static bool is_repeated(const struct launched *launched, const struct program *program, uint32_t i,
			uint32_t n)
{
	struct program later;

	for (uint32_t j = i + 1; j != n; j++)
		if (read_program(&later, &launched->program[j % LAUNCHED_PROGRAMS]) &&
		    later.flags == program->flags && strcmp(later.path, program->path) == 0 &&
		    strcmp(later.runtime, program->runtime) == 0)
			return true;
	return false;
}

void why_none_find(struct why_none *why, const struct launched *launched)
{
	uint32_t n = launched ? atomic_load(&launched->n_programs) : 0;
	uint32_t from = n > LAUNCHED_PROGRAMS ? n - LAUNCHED_PROGRAMS : 0;
	enum weight most = NOTHING;
	size_t left = SEARCH_BYTES;

	*why = (struct why_none){ 0 };
	for (uint32_t i = n; i-- != from;) {
		struct program program;
		struct why_none found = { 0 };
		enum weight weight;

		if (!read_program(&program, &launched->program[i % LAUNCHED_PROGRAMS]) ||
		    is_repeated(launched, &program, i, n))
			continue;
		weight = program.flags & LAUNCHED_ENDED ? weigh_ended(&program, &found, &left)
							: weigh_executed(&program, &found, &left);
		if (weight <= most)
			continue;
		most = weight;
		*why = found;
	}
}

void why_none_say_unrecorded(const struct launched *launched)
{
	static const char *const why[] = {
		[LAUNCHED_FILTERED] = "put a seccomp filter on themselves before their first task, "
				      "which might kill them at a call of tptrace's",
		[LAUNCHED_NO_ROOM] = "have arguments and an environment that leave no room for "
				     "tptrace's (E2BIG)",
	};

	for (unsigned i = 0; launched && i < LAUNCHED_WHYS; i++) {
		uint32_t n = atomic_load(&launched->n_unrecorded[i]);

		if (n)
			say_print(stderr,
				  "tptrace: %u of the processes %s; they are not recorded (see "
				  "LIMITS in tptrace-record(1))\n",
				  n, why[i]);
	}
}

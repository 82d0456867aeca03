/* SPDX-License-Identifier: MIT */
/* messages.c - words what happened to a trace. */
#include "collector/talk/messages.h"

#include <errno.h>
#include <string.h>

#include "collector/drain/figures.h"

/* What helps where a file cannot be made. */
static const char *advice_of(int error)
{
	switch (-error) {
	case EMFILE:
		return "raise the limit on open files (ulimit -n)";
	case ENFILE:
		return "the system has no more open files (fs.file-max)";
	case EFBIG:
		return "raise the limit on file sizes (ulimit -f)";
	case ENOMEM:
		return "raise the limit on memory (ulimit -v, -d), or free some";
	case ENOSPC:
	case EDQUOT:
		return "make room, or choose another place with TPTRACE_OUTPUT or record -o";
	default:
		return "choose another place with TPTRACE_OUTPUT or record -o";
	}
}

void message_failure(struct drain *drain, message_say *say)
{
	/* a file that was cut for want of room says so at its end */
	if ((!drain->file.error && !drain->file.full) || drain->failure_is_said || drain->cut_error)
		return;
	drain->failure_is_said = true;
	if (drain->file.fd >= 0 && drain->file.n_events)
		say("tptrace: %s; what was recorded until now is kept", drain->file.err.text);
	else
		say("tptrace: %s; nothing is recorded; %s", drain->file.err.text,
		    advice_of(drain->file.err.code));
}

/* Events that did not go into a file of bounded size any more. */
static uint64_t count_past_end(struct drain *drain)
{
	uint32_t n_workers = stream_workers(drain);
	uint64_t n_events = 0;

	for (uint32_t w = 0; w < n_workers; w++) {
		struct worker *worker = drain->worker_at(drain->arg, w);

		if (worker)
			n_events += worker->n_past + atomic_load(&worker->gap[WIRE_LOSS_SIZE].n);
	}
	return n_events;
}

void message_end(struct drain *drain, const char *how, message_say *say)
{
	const struct session *session = drain->session;
	const struct trace_file *file = &drain->file;
	uint32_t n_refused = atomic_load(&session->n_refused);
	uint32_t n_unnamed = atomic_load(&session->n_unnamed);
	bool rank = session->process.rank;
	unsigned long long lost = figures_lost(drain), events = file->n_events;
	unsigned long long tasks = drain_threads_tasks(&drain->threads);

	if (n_refused)
		say("tptrace: %u thread%s not recorded: no memory for their rings", n_refused,
		    n_refused == 1 ? " was" : "s were");
	if (marks_lost(&drain->definitions.marks, session))
		say("tptrace: %llu phases and regions were lost: too many at once",
		    (unsigned long long)marks_lost(&drain->definitions.marks, session));
	if (n_unnamed)
		say("tptrace: %u places of the program have no name: no room for more sites",
		    n_unnamed);
	if (file->fd < 0 && !file->error && session->options.start_off && !session->process.quiet)
		say("tptrace: nothing is recorded: with --start=off, no task ran after a start of "
		    "the recording (see `tptrace start --help`)");
	if (file->fd < 0 || file->error || (file->full && drain->failure_is_said) ||
	    (session->process.quiet && !lost && !drain->full && !drain->cut_error))
		return;
	/* report alone takes the newest trace of the folder; ranks are read together */
	const char *slash = strrchr(file->path, '/'), *name = rank && !slash ? "." : file->path;
	int n_name = !slash ? rank : rank ? (int)(slash + 1 - name) : (int)strlen(name);

	/* one line of the trace, of the gravest thing that is to be said of it */
	if (drain->full)
		say("tptrace: %s: %llu events recorded; %s, %llu events not recorded", file->path,
		    events,
		    figures_unwritten(drain) ? figures_unwritten(drain) : "size limit reached",
		    (unsigned long long)count_past_end(drain));
	else if (drain->definitions.predecessor.n_died)
		say("tptrace: %s: %llu events, and %llu lost, most when the collector died",
		    file->path, events, lost);
	else if (lost)
		say("tptrace: %s: %llu events, and %llu lost because a ring was full", file->path,
		    events, lost);
	else if (drain->cut_error)
		say("tptrace: %s: %s: only the newest %llu events are in it", file->path,
		    strerror(-drain->cut_error), events);
	else if (how && !drain->definitions.predecessor.was_there)
		say("tptrace: %s: %llu events of %llu tasks; the program ended: %s", file->path,
		    events, tasks, how);
	else
		say("tptrace: %s: %llu events of %llu tasks%s; read it with `tptrace report%s%.*s`",
		    file->path, events, tasks,
		    drain->definitions.predecessor.was_there ? ", though the collector died" : "",
		    n_name ? " " : "", n_name, name);
}

bool message_covers(const struct drain *drain)
{
	return drain->file.fd >= 0 || drain->file.error || drain->flight.n ||
	       drain->session->options.start_off;
}

/* SPDX-License-Identifier: MIT */
/* cmd_top.c - tptrace top: what a process does now, second by second. */
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tools/base/xalloc.h"
#include "tools/base/at_most.h"
#include "tools/base/ratio.h"
#include "tools/base/say.h"
#include "tools/base/threads.h"
#include "tools/cmd/command.h"
#include "tools/cmd/options.h"
#include "tools/launch/orders.h"
#include "tools/table/json.h"
#include "tools/top/moment.h"

#define NARROWEST 40
#define WIDEST 300u
#define USUAL_WIDTH 80 /* a terminal that does not say, */
#define USUAL_HEIGHT 24
#define PAUSE_NS 1000000000u
/* Of the program's CPU time this command takes half a hundredth at most: its start, and what the
 * collector does for it, stay below as much. */
#define LIMIT_SHARE 200u
#define IDLE_SHARE 500u /* or, of a program that takes little, this part of one CPU */
#define EVENTS_FIRST 32768u
#define EVENTS_LEAST 4096u
#define EVENTS_MOST (1u << 20)

struct request {
	bool json;
	uint32_t n; /* times; 0: until the process ends */
	uint64_t pause_ns;
};

/* One process. */
struct watch {
	const struct request *request;
	int pid, pidfd;
	struct follow follow;
	bool open, screen;
	struct follow_wanted wanted;
	uint64_t cpu_ns;     /* that this command took for the last look */
	uint64_t program_ns; /* CPU time of the process then, .. */
	uint64_t since_ns;   /* .. and when that was */
};

static const struct command_option options[] = {
	{ .letter = 'n',
	  .name = "count",
	  .value = "COUNT",
	  .is = value_is_number,
	  .takes = "a number",
	  INTO(NUMBER, n),
	  .help = "look COUNT times, then end (until the process ends)" },
	OPTION_TIME("interval", pause_ns, "look so often (1s)"),
	OPTION_JSON(json),
	{ 0 },
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* CPU time of a process; 0 if it has ended. */
static uint64_t cpu_of(int pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) == 0 ? clock_ns(clock) : 0;
}

/* ---- one look ---- */

/* What there is instead of figures. */
static void put_none(const struct watch *watch, const char *why)
{
	struct json json = { stdout, false }, *to = &json;

	if (!watch->request->json) {
		printf("pid %d: %s\n", watch->pid, why);
		return;
	}
	json_open(to, NULL, '{');
	JSON_NUMBERS(to, { "version", 1 }, { "pid", (uint64_t)watch->pid });
	json_text(to, "state", "none");
	json_text(to, "why", why);
	json_close(to, '}');
	putchar('\n');
}

static void put_live(const struct watch *watch, const struct live *live)
{
	struct winsize size = { 0 };
	struct live_shown shown = { .pid = watch->pid,
				    .own_cpu_ns = watch->cpu_ns,
				    .width = (int)value_width(NARROWEST, WIDEST, USUAL_WIDTH),
				    .height = USUAL_HEIGHT };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row)
		shown.height = size.ws_row;
	if (watch->request->json)
		live_json(stdout, live, &shown);
	else if (watch->screen)
		live_screen(stdout, live, &shown);
	else
		live_line(stdout, live, &shown);
}

/* The trace has all up to now; from the first time on it is known where it is. */
static int ask_trace(struct watch *watch, struct err *err)
{
	char answer[ORDERS_ANSWER];
	int error = orders_ask("trace", watch->pid, answer, err);

	if (!error && watch->open && strcmp(answer + 3, watch->follow.path) != 0) {
		follow_close(&watch->follow); /* exec(): another one */
		watch->open = false;
	}
	if (!error && !watch->open) {
		error = follow_open(&watch->follow, answer + 3, err);
		watch->open = !error;
		if (error)
			follow_close(&watch->follow);
	}
	if (!error && follow_read(&watch->follow, err) < 0)
		error = err->code;
	return error;
}

/* Nobody answers: it is not traced, or not any more. */
static bool is_gone(const struct err *err)
{
	return err->code == -ESRCH || err->code == -ECONNREFUSED || err->code == -EPIPE;
}

/* False if it is gone. */
static bool look(struct watch *watch, struct err *err)
{
	AT_END(live_free) struct live live = { 0 };
	int error = ask_trace(watch, err);

	if (error && is_gone(err))
		return false;
	if (!error)
		error = live_build(&live, &watch->follow, &watch->wanted, err);
	if (watch->screen)
		fputs("\033[H\033[J", stdout);
	if (!error)
		put_live(watch, &live);
	else
		put_none(watch,
			 err->code == -ENODATA ? "nothing was recorded in this time" : err->text);
	return true;
}

/* ---- all of them ---- */

/* No more than its share of what the program took since the look before: it looks at fewer events,
 * and if need be less often. */
static uint64_t pause_after(struct watch *watch, uint64_t cpu_ns)
{
	uint64_t asked_ns = watch->request->pause_ns, *n = &watch->wanted.n_events;
	uint64_t program_ns = cpu_of(watch->pid), now_ns = clock_ns(CLOCK_MONOTONIC);
	double used = ratio(above(program_ns, watch->program_ns), now_ns - watch->since_ns);
	uint64_t share_ns = at_least(asked_ns / IDLE_SHARE,
				     (uint64_t)(used * (double)(asked_ns / LIMIT_SHARE)));

	watch->program_ns = program_ns;
	watch->since_ns = now_ns;
	if (cpu_ns > share_ns && *n > EVENTS_LEAST)
		*n /= 2;
	else if (cpu_ns < share_ns / 4 && *n < EVENTS_MOST)
		*n *= 2;
	return at_least(asked_ns, cpu_ns / 1000 * (asked_ns / (share_ns / 1000)));
}

/* Whether the process ended in that time. */
static bool ended_within(const struct watch *watch, uint64_t ns)
{
	struct pollfd end = { .fd = watch->pidfd, .events = POLLIN };
	int ms = ns / 1000000 < INT_MAX ? (int)(ns / 1000000) : INT_MAX;

	if (watch->pidfd >= 0)
		return poll(&end, 1, ms) > 0;
	poll(NULL, 0, ms);
	return kill(watch->pid, 0) < 0 && errno == ESRCH;
}

static int watch_process(struct watch *watch)
{
	const struct request *request = watch->request;

	for (uint32_t i = 0; !request->n || i < request->n; i++) {
		uint64_t before_ns = cpu_of(0), pause_ns;
		struct err err = { 0 };

		if (!look(watch, &err))
			return i ? say_finish(0) : say_fail(&err);
		if (fflush(stdout) != 0)
			return say_finish(0);
		watch->cpu_ns = cpu_of(0) - before_ns;
		pause_ns = pause_after(watch, watch->cpu_ns);
		if ((!request->n || i + 1 < request->n) && ended_within(watch, pause_ns))
			break;
	}
	return say_finish(0);
}

static bool is_screen(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

static int run(int argc, char **argv)
{
	struct request request = { .pause_ns = PAUSE_NS };
	struct watch watch = { .request = &request, .follow.fd = -1 };
	struct call call;
	char *end;
	long pid;
	int status;

	if (!call_open(&call, &cmd_top, argc, argv, &request))
		return call.status;
	if (call.n != 1)
		return say_usage("top", call.n ? "name one PID" : "missing PID");
	pid = strtol(call.argument[0], &end, 10);
	if (*end || pid <= 0 || pid > INT_MAX)
		return say_usage("top", "invalid PID `%s`", call.argument[0]);
	if (request.pause_ns < PAUSE_NS / 10)
		return say_usage("top", "--interval must be 100ms or more");
	threads_want(1); /* the CPUs are the program's */
	watch.pid = (int)pid;
	watch.pidfd = (int)syscall(SYS_pidfd_open, watch.pid, 0);
	watch.screen = !request.json && is_screen();
	watch.program_ns = cpu_of(watch.pid);
	watch.since_ns = clock_ns(CLOCK_MONOTONIC);
	watch.wanted = (struct follow_wanted){ .ns = request.pause_ns, .n_events = EVENTS_FIRST };
	status = watch_process(&watch);
	if (watch.open)
		follow_close(&watch.follow);
	if (watch.pidfd >= 0)
		close(watch.pidfd);
	return status;
}

const struct command cmd_top = {
	.name = "top",
	.run = run,
	.line = "show what a process does now, each second",
	.arguments = "[OPTIONS] PID",
	.about = "Shows where a traced process spent the last second: the four components, what "
		 "its\n"
		 "workers did, how many tasks were ready, and the busiest kinds. In a terminal it\n"
		 "is a screen; otherwise it prints a line each time.\n",
	.option = options,
	.ranks = RANKS_EACH,
};

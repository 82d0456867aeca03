/* SPDX-License-Identifier: MIT */
/* launch.c - two children, the collector and the program, and the wait for both. */
#include "tools/sample/sampler.h"
#include "tools/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/session/hello.h"
#include "collector/session/launched.h"
#include "collector/session/clock.h"
#include "collector/session/environment.h"
#include "collector/session/point.h"
#include "collector/outside/serve.h"
#include "tools/launch/adopted.h"
#include "tools/base/say.h"
#include "tools/launch/held_sessions.h"
#include "tools/launch/keep_names.h"
#include "tools/launch/one_worker.h"
#include "tools/launch/stop_with.h"
#include "tools/launch/try_calls.h"
#include "tools/launch/why_none.h"

#define LOOK_MS 100	    /* between two looks at what the program left behind */
#define WAIT_MS 1000	    /* children are looked at so often, whether a signal tells or not */
#define STILL_LOOKS 2u	    /* who slept in so many, without a runtime, is not waited for */
#define OTHERS_MS 10000u    /* .. nor is, after so long, who has no task */
#define GRACE_MS 500u	    /* for who dies of the same signal, but a little later */
#define PATIENCE_MS 2000u   /* who waits longer is told for what */
#define COLLECTORS_MOST 16u /* one that dies of what it finds is not started for ever */

struct launch {
	pid_t program, collector;
	int listener, control, signals; /* -1: closed */
	uint32_t n_collectors;		/* so far */
	struct held held;
	int status;  /* the program's, as wait() has it */
	bool ended;  /* it is there */
	bool asked;  /* the collector is to say when it has written all */
	bool leave;  /* nobody who goes on is waited for */
	int ends_by; /* the last signal to end by that came; 0 */
	bool done;   /* the collector has written all, or is gone */
	bool failed; /* a collector was gone too early */
	int failure; /* the first such one's status, as wait() has it */
	uint32_t n_left, n_seen;
	uint64_t ended_ns, leave_ns;
	struct adopted adopted; /* as of the last look, after the program's end */
	uint32_t n_still;	/* looks since anything moved */
	bool said;		/* what is waited for */
	int board;		/* launched_make() */
	sigset_t mask;		/* as they were */
	struct sigaction child;
};

/* What goes on to the program, if it was meant for this process. */
static const int forwarded[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
				 SIGUSR2, SIGALRM, SIGCONT, SIGWINCH };
#define N_FORWARDED (sizeof(forwarded) / sizeof(forwarded[0]))

static bool keeps_names(void)
{
	const char *names = getenv("TPTRACE_NAMES");

	return !(names && strcmp(names, "off") == 0) && !options_disabled();
}

/* Where memory runs out, the kernel kills this process, and the program goes on without it. */
static void die_first(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	dprintf(fd, "1000");
	close(fd);
}

static void run_collector(const struct launch *launch, int control)
{
	setsid();
	die_first();
	sigprocmask(SIG_SETMASK, &(sigset_t){ { 0 } }, NULL);
	/* who waits for the end of what record was given for the program does not wait for us */
	held_close_others(&launch->held, launch->listener, control);
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_NAME, "tptrace-collect");
	for (int fd = 0; fd <= 2 && null >= 0; fd++) {
		/* who reads what record prints does not wait for this one, too */
		if (dup2(null, fd) >= 0)
			continue;
		close(fd); /* a filter refuses that call */
		fcntl(null, F_DUPFD, fd);
	}
	if (null > 2)
		close(null);
	_exit(-serve_run(launch->listener, control, &launch->held.left,
			 &(struct client_helpers){ keeps_names() ? keep_names_apart : NULL,
						   sampler_begin }));
}

/* 0 or -errno. */
static int start_collector(struct launch *launch)
{
	int pair[2], error = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	launch->n_collectors++;
	launch->collector = fork();
	if (launch->collector == 0)
		run_collector(launch, pair[1]);
	if (launch->collector < 0)
		error = -errno;
	close(pair[1]);
	launch->control = pair[0];
	if (!error)
		return 0;
	close(pair[0]);
	launch->control = -1;
	return error;
}

/* The socket of all collectors, and the first of them.  Who connects while there is none waits for
 * the next one. */
static int start_first_collector(struct launch *launch)
{
	char name[64];
	int error;

	launch->listener = serve_listen(name, sizeof(name));
	if (launch->listener < 0)
		return launch->listener;
	error = setenv(HELLO_VARIABLE, name, 1) < 0 ? -errno : start_collector(launch);
	if (error)
		close(launch->listener);
	return error;
}

static int start_program(struct launch *launch, char **command, int (*not_started)(const char *))
{
	char path[64], value[96];

	launch->board = launched_make(path, sizeof(path));
	if (!options_disabled())
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	launch->program = fork();
	if (launch->program < 0)
		return -errno;
	if (launch->program > 0)
		return 0;
	sigaction(SIGCHLD, &launch->child, NULL);
	sigprocmask(SIG_SETMASK, &launch->mask, NULL);
	snprintf(value, sizeof(value), "%d %s", (int)getpid(), path);
	setenv(LAUNCHED_VARIABLE, value, 1);
	launch_fix_output();
	one_worker_pin();
	execvp(command[0], command);
	launched_tick(launched_map(launch->board)); /* all is said */
	_exit(not_started(command[0]));
}

/* The kernel sends what comes from the terminal to the program, too; and it need not hear itself.
 */
static void forward(const struct launch *launch, const struct signalfd_siginfo *info)
{
	bool sent = info->ssi_code == SI_USER || info->ssi_code == SI_QUEUE ||
		    info->ssi_code == SI_TKILL;

	if (sent && (pid_t)info->ssi_pid != launch->program)
		kill(launch->program, (int)info->ssi_signo);
}

static void close_control(struct launch *launch)
{
	if (launch->control >= 0)
		close(launch->control);
	launch->control = -1;
}

/* False if there is nothing more for now, or for ever. */
static bool hear_collector(struct launch *launch)
{
	struct serve_message message = { 0 };
	struct serve_kept session;
	ssize_t n = serve_receive(launch->control, &message, &session);

	message.text[sizeof(message.text) - 1] = 0;
	held_heed(&launch->held, &message, &session);
	if (n > 0 && message.kind == SERVE_KEEP)
		test_point("record:held");
	if (n > 0 && message.kind == SERVE_SAY) {
		say_print(stderr, "%s\n", message.text);
	} else if (n > 0 && message.kind == SERVE_DONE) {
		launch->done = true;
		launch->n_left = message.n_left;
		launch->n_seen = message.n_seen;
	}
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) /* a filter forbids it */
		close_control(launch);
	return n > 0;
}

/* False if it is gone: then the next one is asked, and finds what is held.  Or if it has not read
 * for so long that there is no room for the message.  Where a filter of system calls forbids it,
 * the collector ends by itself. */
static bool send_to_collector(struct launch *launch, const struct serve_message *message)
{
	bool sent =
		send(launch->control, message, sizeof(*message), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;

	if (!sent && (errno == EPERM || errno == EACCES || errno == ENOSYS))
		close_control(launch);
	return sent;
}

/* All that it said is there; what it had goes to the next one. */
static void collector_ended(struct launch *launch, int status)
{
	while (hear_collector(launch))
		;
	close_control(launch);
	launch->collector = -1;
	if (launch->done)
		return;
	if (!launch->failed)
		launch->failure = status;
	launch->failed = true;
	held_note_death(&launch->held, status);
	test_point("record:dead");
	launch->asked = false;
	if (launch->n_collectors < COLLECTORS_MOST && start_collector(launch) == 0)
		return;
	launch->done = true;
	close(launch->listener); /* nobody waits for an answer */
}

/* Reaps one that has ended: the program, the collector, or who was adopted.  The collector hears of
 * its status before its number may be another's.  False if there is none. */
static bool reap_one(struct launch *launch)
{
	struct serve_message message = { .kind = SERVE_ENDED };
	siginfo_t info = { 0 };

	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || !info.si_pid)
		return false;
	message.pid = (int)info.si_pid;
	message.status = info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
	if (info.si_code == CLD_DUMPED)
		message.status |= WCOREFLAG;
	if (info.si_pid != launch->collector) {
		held_note_end(&launch->held, message.pid, message.status);
		(void)send_to_collector(launch, &message); /* else it sees no status */
	}
	test_point("record:reaps");
	if (waitpid(info.si_pid, &message.status, 0) != info.si_pid)
		return false;
	if (info.si_pid == launch->collector)
		collector_ended(launch, message.status);
	if (info.si_pid != launch->program)
		return true;
	launch->status = message.status;
	launch->ended = true;
	launch->ended_ns = launch->leave_ns = clock_monotonic_ns();
	launch->program = -1;
	if (getpid() == 1 && launch->ends_by)
		kill(-1, launch->ends_by);
	return true;
}

static void look_at_children(struct launch *launch)
{
	siginfo_t info = { 0 };

	while (launch->program > 0 &&
	       waitid(P_PID, (id_t)launch->program, &info, WSTOPPED | WNOHANG) == 0 &&
	       info.si_pid) {
		stop_with(launch->program);
		info.si_pid = 0;
	}
	while (reap_one(launch))
		;
}

/*
 * A signal to end by: from now on, or from the program's end on, nobody is waited for.  Where
 * record is the first process of its namespace (a container's) the kernel kills all others with it:
 * there they get the signal first, and are waited for until the next one.
 */
static void end_wait(struct launch *launch, int number)
{
	bool is_first = getpid() == 1;

	launch->leave |= !is_first || (launch->ended && launch->ends_by);
	launch->leave_ns = clock_monotonic_ns();
	launch->ends_by = number;
	if (is_first && launch->ended && !launch->leave)
		kill(-1, number);
}

static bool is_ending(uint32_t number)
{
	return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

static void hear_signals(struct launch *launch)
{
	struct signalfd_siginfo info;

	while (read(launch->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			look_at_children(launch);
		else if (!launch->ended)
			forward(launch, &info);
		if (is_ending(info.ssi_signo))
			end_wait(launch, (int)info.ssi_signo);
	}
}

/* The program has its limit of descriptors already. */
static void hold_many(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

/*
 * Whether a process that the program left behind may soon record: a task runtime is loaded, or it
 * is about to do something, such as to execute another program.  A daemon that never makes a task
 * must not keep record: who makes one later collects by itself.  Who is collected already, the
 * collector waits for.
 */
static bool awaits_others(struct launch *launch)
{
	struct adopted *adopted = &launch->adopted;
	uint64_t since_ms = (clock_monotonic_ns() - launch->ended_ns) / 1000000;

	adopted_look(adopted, launch->collector);
	launch->n_still = adopted->moves ? 0 : launch->n_still + 1;
	return since_ms < OTHERS_MS &&
	       (adopted->n_runtime || (adopted->n && launch->n_still < STILL_LOOKS));
}

static void say_wait(struct launch *launch, const char *program)
{
	const struct adopted *adopted = &launch->adopted;

	if (launch->said || launch->done || options_quiet() || options_disabled() ||
	    clock_monotonic_ns() - launch->ended_ns < PATIENCE_MS * UINT64_C(1000000))
		return;
	launch->said = true;
	if (adopted->n)
		say_print(stderr,
			  "tptrace: %s has ended; waiting for the processes that it left behind "
			  "(%u, such as %d, %s); Ctrl-C ends the wait\n",
			  program, adopted->n, (int)adopted->pid, adopted->name);
}

/* After the program's end: asks for the collector's once nobody else may come. */
static void ask_for_end(struct launch *launch)
{
	bool leaves = launch->leave &&
		      clock_monotonic_ns() - launch->leave_ns >= GRACE_MS * UINT64_C(1000000);
	const struct serve_message ask = { .kind = leaves ? SERVE_LEAVE : SERVE_ASK };

	if (launch->asked && !leaves) {
		adopted_look(&launch->adopted, launch->collector);
		return;
	}
	if (!launch->leave && awaits_others(launch))
		return;
	launch->asked = send_to_collector(launch, &ask);
}

static void wait_for_both(struct launch *launch, const char *program)
{
	while (!launch->ended || !launch->done) {
		struct pollfd fd[] = { { .fd = launch->signals, .events = POLLIN },
				       { .fd = launch->control, .events = POLLIN } };

		int n = poll(fd, 2, launch->ended ? LOOK_MS : WAIT_MS);

		if (n < 0 && errno != EINTR)
			break;
		if (n == 0)
			look_at_children(launch);
		if (fd[1].revents)
			hear_collector(launch);
		if (fd[0].revents)
			hear_signals(launch);
		if (!launch->ended || launch->done)
			continue;
		ask_for_end(launch);
		say_wait(launch, program);
	}
}

/* The collector has nobody left, and ends once it hears no more from here.  In a container there
 * may be nobody else to reap it. */
static void reap_collector(struct launch *launch)
{
	uint64_t until_ns = clock_monotonic_ns() + OTHERS_MS * UINT64_C(1000000);

	close_control(launch);
	while (launch->collector > 0 && !launch->n_left && clock_monotonic_ns() < until_ns) {
		struct pollfd ended = { .fd = launch->signals, .events = POLLIN };

		poll(&ended, 1, LOOK_MS);
		hear_signals(launch);
		look_at_children(launch);
	}
}

/* Dies of what the program died of, without another core. */
static int end_alike(const struct launch *launch)
{
	const struct rlimit none = { 0 };
	int number = WTERMSIG(launch->status);
	sigset_t one;

	if (!WIFSIGNALED(launch->status))
		return WEXITSTATUS(launch->status);
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
	signal(number, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	raise(number);
	return 128 + number;
}

/* Without that memory nobody knows what collected by itself. */
static void say_none(const struct launched *launched, const char *program)
{
	static const char none[] = "tptrace: no task of a runtime that tptrace knows was seen "
				   "before";
	struct why_none why;

	if (!launched || atomic_load(&launched->ticked) ||
	    atomic_load(&launched->n_unrecorded[LAUNCHED_FILTERED]))
		return;
	why_none_find(&why, launched);
	if (!why.text[0])
		say_print(stderr,
			  "%s %s ended; nothing is recorded (see `tptrace record --help`)\n", none,
			  program);
	else
		say_print(stderr, "%s %s ended%s: %s\n", none, program,
			  why.may_record ? "" : "; nothing is recorded", why.text);
}

static void say_failure(const struct launch *launch, const char *program)
{
	int code = WEXITSTATUS(launch->failure);
	bool was_killed = WIFSIGNALED(launch->failure);

	say_print(stderr,
		  "tptrace: the collector %s before %s ended%s%s; tptrace-report says what is "
		  "missing\n",
		  was_killed ? "was killed" : "gave up", program, was_killed || !code ? "" : ": ",
		  was_killed || !code ? "" : strerror(code));
}

static void tell(const struct launch *launch, const char *program)
{
	const struct launched *board = launched_map(launch->board);

	/* a record around us need not tell more */
	launched_tick(launched_map_by(getenv(LAUNCHED_VARIABLE)));
	if (options_disabled())
		return;
	why_none_say_unrecorded(board);
	if (!launch->failed && !launch->n_seen)
		say_none(board, program);
	if (launch->failed)
		say_failure(launch, program);
	else if (launch->n_left && !options_quiet())
		say_print(stderr,
			  "tptrace: %u of the processes that %s started go on; the trace of each "
			  "is whole when it ends\n",
			  launch->n_left, program);
}

static int take_signals(struct launch *launch)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	for (size_t i = 0; i < N_FORWARDED; i++)
		sigaddset(&mask, forwarded[i]);
	launch->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (launch->signals < 0)
		return -errno;
	sigaction(SIGCHLD, &plain,
		  &launch->child); /* ignored, it would leave nothing to wait for */
	sigprocmask(SIG_BLOCK, &mask, &launch->mask);
	return 0;
}

static void give_signals_back(const struct launch *launch)
{
	sigaction(SIGCHLD, &launch->child, NULL);
	sigprocmask(SIG_SETMASK, &launch->mask, NULL);
	close(launch->signals);
}

/*
 * What was closed when we began would be a socket of ours, which messages then went into.  The
 * program does not get these.
 */
static void fill_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) != fd)
			return; /* no /dev/null */
}

void launch_fix_output(void)
{
	const char *output = getenv("TPTRACE_OUTPUT");
	char folder[PATH_MAX], path[2 * PATH_MAX];

	if (!output || !*output || *output == '/' || !getcwd(folder, sizeof(folder)) ||
	    strchr(folder, '%')) /* which the name would begin a letter with */
		return;
	snprintf(path, sizeof(path), "%s/%s", folder, output);
	setenv("TPTRACE_OUTPUT", path, 1);
}

int launch(char **command, int (*not_started)(const char *program))
{
	struct launch state = { .listener = -1, .control = -1, .collector = -1, .board = -1 };
	int error;

	fill_standard();
	error = try_limits();
	if (error)
		return error;
	if (!options_disabled())
		sampler_measure();
	error = try_calls() ?: take_signals(&state);
	if (error)
		return error;
	error = start_first_collector(&state) ?: start_program(&state, command, not_started);
	if (error) {
		if (state.collector > 0) {
			close(state.control);
			waitpid(state.collector, NULL, 0);
		}
		prctl(PR_SET_CHILD_SUBREAPER, 0); /* the program would inherit it by exec */
		unsetenv(HELLO_VARIABLE);
		give_signals_back(&state);
		return error;
	}
	hold_many();
	wait_for_both(&state, command[0]);
	reap_collector(&state);
	tell(&state, command[0]);
	return end_alike(&state);
}

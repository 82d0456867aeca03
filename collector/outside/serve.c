/* SPDX-License-Identifier: MIT */
/* serve.c - takes in sessions, gives each a thread, and sees their processes end. */
#include "collector/outside/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/drain/ask.h"
#include "collector/drain/drain.h"
#include "preload/session/hello.h"
#include "collector/drain/path.h"
#include "collector/outside/schedstat.h"
#include "collector/outside/will.h"
#include "preload/session/futex.h"
#include "preload/session/procstat.h"
#include "preload/session/shared.h"

#define GRACE_MS 500 /* for who dies with the program, but a little later */
#define LOOK_MS 200  /* how often processes are looked for that have no pidfd */
#define STACK_BYTES (512u << 10)

/* One traced process. */
struct client {
	struct client *next;
	pthread_t thread;
	int pid, pidfd; /* -1: the kernel has none */
	int task_pid;	/* whose threads are known by the numbers that they know; 0: they are not */
	int memory;
	struct session *session;
	struct worker **worker; /* mapped so far; WIRE_WORKERS of them */
	uint64_t memory_bytes;
	size_t head_bytes, stride;
	struct drain drain;
	struct ask ask;
	struct will will;
	int status;	       /* as wait() has it; -1 if not known.  Set before `dead` */
	bool execed;	       /* it lives on as another program; likewise */
	uint64_t left_ns;      /* when its memory was found to be gone; 0: it was not */
	bool told;	       /* it has a trace, or a line says why not.  Set before `finished` */
	_Atomic bool dead;     /* its process is, or is another program */
	_Atomic bool finished; /* its thread is done */
};

struct server {
	int listener, wake_fd[2];
	int control;			  /* the same to the end: threads of clients use it, too */
	bool child_ended, told, is_alone; /* alone: nobody is at the other end of `control` */
	uint64_t ended_ns;
	uint32_t n_told; /* processes that have a trace, or were told of */
	struct client *clients;
	void (*written)(const char *path); /* NULL: nobody wants to hear of it */
};

static struct server server;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
	struct serve_message message = { .kind = SERVE_SAY };
	va_list args;

	va_start(args, format);
	vsnprintf(message.text, sizeof(message.text), format, args);
	va_end(args);
	if (send(server.control, &message,
		 offsetof(struct serve_message, text) + strlen(message.text) + 1,
		 MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return; /* the parent has gone: there is nobody left to tell */
}

int serve_listen(char *name, size_t room)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	uint64_t random[2];
	int fd, error;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	snprintf(name, room, "tptrace.%016llx%016llx", (unsigned long long)random[0],
		 (unsigned long long)random[1]);
	memcpy(address.sun_path + 1, name, strlen(name));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) == 0 &&
	    listen(fd, SOMAXCONN) == 0)
		return fd;
	error = -errno;
	close(fd);
	return error;
}

/* ---- one session ---- */

static struct worker *worker_at(void *arg, uint32_t index)
{
	struct client *client = arg;
	uint64_t offset = client->head_bytes + (uint64_t)index * client->stride;
	void *memory;

	if (client->worker[index] || offset + client->stride > client->memory_bytes)
		return client->worker[index];
	memory = mmap(NULL, client->stride, PROT_READ | PROT_WRITE, MAP_SHARED, client->memory,
		      (off_t)offset);
	if (memory != MAP_FAILED)
		client->worker[index] = memory;
	return client->worker[index];
}

/*
 * The words of the trace's `meta ended` line.  What the program said of its end counts if it came
 * to that end; `*said` tells whether it did.
 */
static void how_ended(const struct client *client, char *out, size_t room, bool *said)
{
	char leaving[sizeof(client->session->leaving)];
	int status = client->status;

	memcpy(leaving, client->session->leaving, sizeof(leaving)); /* it may be anything */
	leaving[sizeof(leaving) - 1] = 0;
	*said = client->execed || (leaving[0] && (status < 0 || WIFEXITED(status)));
	if (*said)
		snprintf(out, room, "%s", client->execed ? "by exec" : leaving);
	else if (status < 0)
		snprintf(out, room, "unseen");
	else if (WIFSIGNALED(status))
		snprintf(out, room, "killed by signal %d", WTERMSIG(status));
	else
		snprintf(out, room, "by _exit with status %d", WEXITSTATUS(status));
}

static void end_trace(struct client *client)
{
	struct clock_pair end = client->session->end;
	char how[64] = "cleanly";
	bool said = true;

	if (atomic_load(&client->session->state) != SESSION_CLOSED) {
		end = clock_pair(&client->session->clock);
		how_ended(client, how, sizeof(how), &said);
	}
	drain_end(&client->drain, end, how);
	drain_say_failure(&client->drain, say);
	drain_say_end(&client->drain, said ? NULL : how, say);
}

static void *client_run(void *arg)
{
	struct client *client = arg;
	struct session *session = client->session;
	struct drain *drain = &client->drain;
	char *trace = NULL;

	will_make(&client->will, &session->life);
	ask_open(&client->ask, session, client->pid);
	while (will_holds(&client->will)) {
		uint32_t wake = atomic_load_explicit(&session->wake, memory_order_acquire);
		bool over = atomic_load(&client->dead) ||
			    atomic_load(&session->state) == SESSION_CLOSED;
		bool took = drain_round(drain, over ? DRAIN_LAST : DRAIN_RUNNING);

		atomic_fetch_add(&session->beat, 1);
		drain_say_failure(drain, say);
		if (!over && client->ask.fd < 0) /* the process was another program's before */
			ask_open(&client->ask, session, client->pid);
		if (!over)
			ask_round(&client->ask, drain);
		if (took)
			continue;
		if (over)
			break;
		futex_wait(&session->wake, wake, drain_rest_ns(drain));
	}
	ask_close(&client->ask);
	client->told = true;
	if (will_holds(&client->will)) {
		end_trace(client);
		client->told = drain_is_told(drain);
		trace = drain->file.fd >= 0 && !drain->file.error ? strdup(drain->file.path) : NULL;
	}
	drain_close(drain);
	will_leave(&client->will, SESSION_LIFE_DONE);
	if (trace && server.written)
		server.written(trace);
	free(trace);
	atomic_store(&client->finished, true);
	if (write(server.wake_fd[1], "", 1) < 0)
		return NULL; /* it is full: then somebody looks anyway */
	return NULL;
}

static void client_free(struct client *client)
{
	for (uint32_t i = 0; client->worker && i < WIRE_WORKERS; i++)
		if (client->worker[i])
			munmap(client->worker[i], client->stride);
	if (client->session)
		munmap(client->session, client->head_bytes);
	if (client->pidfd >= 0)
		close(client->pidfd);
	if (client->memory >= 0)
		close(client->memory);
	free(client->worker);
	free(client);
}

/* Maps the session and checks what all else relies on. */
static int client_map(struct client *client)
{
	size_t head_bytes = shared_pages(sizeof(struct session));
	int seals = fcntl(client->memory, F_GET_SEALS);
	struct stat st;
	void *head;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(client->memory, &st) < 0 ||
	    (uint64_t)st.st_size < head_bytes)
		return -EPROTO;
	head = mmap(NULL, head_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, client->memory, 0);
	if (head == MAP_FAILED)
		return -errno;
	client->session = head;
	client->head_bytes = head_bytes;
	client->memory_bytes = (uint64_t)st.st_size;
	client->worker = calloc(WIRE_WORKERS, sizeof(struct worker *));
	if (!client->worker)
		return -ENOMEM;
	int error = drain_open(&client->drain, client->session, worker_at, client);

	if (error)
		return error;
	client->task_pid = client->session->pid == client->pid ? client->pid : 0;
	drain_sample(&client->drain, schedstat_read, &client->task_pid);
	client->stride = shared_pages(worker_place(client->drain.n_slots));
	return client->session->stride == client->stride && client->drain.n_slots < UINT32_MAX
		       ? 0
		       : -EPROTO;
}

static int start_thread(pthread_t *thread, void *(*run)(void *), void *arg)
{
	pthread_attr_t attr;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	error = -pthread_create(thread, &attr, run, arg);
	pthread_attr_destroy(&attr);
	return error;
}

static int client_start(struct client *client)
{
	static const struct lane_threads threads = { start_thread, pthread_join };
	int error = client_map(client);

	if (error)
		return error;
	drain_use_threads(&client->drain, &threads);
	return start_thread(&client->thread, client_run, client);
}

/* ---- taking them in ---- */

/* The descriptor that came with the message, or -1. */
static int descriptor_in(struct msghdr *message)
{
	struct cmsghdr *part = CMSG_FIRSTHDR(message);
	int fd;

	if (!part || part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS ||
	    part->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -1;
	memcpy(&fd, CMSG_DATA(part), sizeof(fd));
	return fd;
}

/* Whether the process reads our clock, as far as is known. */
static bool has_our_clock(const struct hello *hello)
{
	char ours[sizeof(hello->time_space)];

	hello_time_space(ours);
	return !ours[0] || !hello->time_space[0] ||
	       strncmp(ours, hello->time_space, sizeof(ours)) == 0;
}

static int receive_memory(int fd)
{
	struct hello hello = { 0 };
	struct iovec piece = { &hello, sizeof(hello) };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct msghdr message = { .msg_iov = &piece,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	ssize_t n;
	int memory;

	do
		n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	memory = n < 0 ? -1 : descriptor_in(&message);
	if (n == sizeof(hello) && memcmp(hello.magic, HELLO_MAGIC, sizeof(hello.magic)) == 0 &&
	    hello.layout == SESSION_LAYOUT && has_our_clock(&hello))
		return memory;
	if (memory >= 0)
		close(memory);
	return -1;
}

static void wake_up(struct client *client)
{
	atomic_store(&client->dead, true);
	atomic_fetch_add(&client->session->wake, 1);
	futex_wake(&client->session->wake);
}

/* The process became another program: nothing of the one before is left but its trace. */
static void note_exec(struct client *client)
{
	client->execed = true;
	wake_up(client);
}

static struct client *client_of(int fd)
{
	struct client *client = calloc(1, sizeof(*client));
	struct ucred peer;
	socklen_t bytes = sizeof(peer);

	if (!client)
		return NULL;
	*client = (struct client){ .memory = -1, .pidfd = -1, .status = -1 };
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) < 0 || peer.uid != geteuid() ||
	    peer.pid <= 0) {
		server.n_told++; /* it looks after itself */
		client_free(client);
		return NULL;
	}
	for (struct client *before = server.clients; before; before = before->next)
		if (before->pid == peer.pid && !atomic_load(&before->dead))
			note_exec(before);
	client->pid = peer.pid;
	client->pidfd = (int)syscall(SYS_pidfd_open, peer.pid, 0);
	client->memory = receive_memory(fd);
	if (client->memory >= 0 && client_start(client) == 0)
		return client;
	client_free(client);
	return NULL;
}

static void take_in(void)
{
	const struct timeval patience = { .tv_sec = HELLO_WAIT_S };
	int fd = accept4(server.listener, NULL, NULL, SOCK_CLOEXEC);
	struct client *client;

	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	client = client_of(fd);
	if (client) {
		client->next = server.clients;
		server.clients = client;
	}
	if (send(fd, client ? (char[]){ HELLO_YES } : "n", 1, MSG_NOSIGNAL) < 0)
		errno = 0; /* it died meanwhile, which the pidfd tells */
	close(fd);
}

/* ---- seeing them end ---- */

/* Of a zombie, as wait() has it; -1 if it is none. */
static int status_of(int pid)
{
	struct procstat stat;
	const char *state =
		procstat_read(&stat, pid) ? procstat_field(&stat, PROCSTAT_STATE) : NULL;
	const char *is =
		state && strchr("ZXx", *state) ? procstat_field(&stat, PROCSTAT_STATUS) : NULL;
	int status;

	return is && sscanf(is, "%d", &status) == 1 ? status : -1;
}

static void note_death(struct client *client)
{
	client->status = status_of(client->pid);
	wake_up(client);
}

/*
 * Whether the process has let go of its memory and lives: it is another program.  A process that
 * dies lets go of it a little earlier than the kernel says so.
 */
static bool has_left(struct client *client, uint64_t now_ns)
{
	if (!client->session->held || flock(client->memory, LOCK_SH | LOCK_NB) < 0) {
		client->left_ns = 0;
		return false;
	}
	flock(client->memory, LOCK_UN);
	if (!client->left_ns)
		client->left_ns = now_ns;
	return now_ns - client->left_ns >= LOOK_MS * UINT64_C(1000000);
}

static void join_finished(void)
{
	for (struct client **at = &server.clients; *at;) {
		struct client *client = *at;

		if (!atomic_load(&client->finished)) {
			at = &client->next;
			continue;
		}
		*at = client->next;
		pthread_join(client->thread, NULL);
		server.n_told += client->told;
		client_free(client);
	}
}

/* Counts those that live, and those whose end is being written. */
static void count(uint32_t *n_live, uint32_t *n_ending)
{
	*n_live = *n_ending = 0;
	for (const struct client *client = server.clients; client; client = client->next)
		if (atomic_load(&client->dead) ||
		    atomic_load(&client->session->state) == SESSION_CLOSED)
			++*n_ending;
		else
			++*n_live;
}

static void tell_parent(void)
{
	struct serve_message message = { .kind = SERVE_DONE };
	uint32_t n_ending;

	count(&message.n_left, &n_ending);
	message.n_seen = server.n_told + message.n_left;
	if (!server.child_ended || server.told || n_ending ||
	    (message.n_left &&
	     clock_monotonic_ns() - server.ended_ns < GRACE_MS * UINT64_C(1000000)))
		return;
	if (send(server.control, &message, sizeof(message), MSG_NOSIGNAL) >= 0)
		server.told = true;
	if (chdir("/") < 0)
		errno = 0; /* then it keeps the folder busy, no more */
}

static void hear_parent(void)
{
	struct serve_message message;
	ssize_t n = recv(server.control, &message, sizeof(message), MSG_DONTWAIT);

	if (n > 0 && message.kind == SERVE_CHILD_ENDED && !server.child_ended) {
		server.child_ended = true;
		server.ended_ns = clock_monotonic_ns();
	} else if (n == 0) { /* it was killed, or has been told */
		server.child_ended = server.told = server.is_alone = true;
	}
}

/* Waits for whatever comes next, and sees to it.  False if there is no memory to do so. */
static bool serve_once(void)
{
	enum { LISTENER, CONTROL, WAKE, FIXED };
	size_t n = FIXED;
	char drained[64];

	for (const struct client *client = server.clients; client; client = client->next)
		n++;
	struct pollfd *poll_fd = calloc(n, sizeof(*poll_fd));

	if (!poll_fd)
		return false;
	poll_fd[LISTENER] = (struct pollfd){ .fd = server.listener, .events = POLLIN };
	poll_fd[CONTROL] =
		(struct pollfd){ .fd = server.is_alone ? -1 : server.control, .events = POLLIN };
	poll_fd[WAKE] = (struct pollfd){ .fd = server.wake_fd[0], .events = POLLIN };
	n = FIXED;
	for (const struct client *client = server.clients; client; client = client->next)
		poll_fd[n++] =
			(struct pollfd){ .fd = atomic_load(&client->dead) ? -1 : client->pidfd,
					 .events = POLLIN };
	poll(poll_fd, n, LOOK_MS);
	n = FIXED;
	for (struct client *client = server.clients; client; client = client->next) {
		bool gone = client->pidfd < 0 ? kill(client->pid, 0) < 0 && errno == ESRCH
					      : poll_fd[n].revents != 0;

		if (gone && !atomic_load(&client->dead))
			note_death(client);
		else if (!atomic_load(&client->dead) && has_left(client, clock_monotonic_ns()))
			note_exec(client);
		n++;
	}
	while (read(server.wake_fd[0], drained, sizeof(drained)) > 0)
		;
	if (poll_fd[LISTENER].revents)
		take_in();
	if (poll_fd[CONTROL].revents)
		hear_parent();
	free(poll_fd);
	return true;
}

/*
 * A signal that ends a whole job, a session or a group is for the program, and its trace is written
 * when it has ended: that takes no longer than the program does.
 */
static void outlive_signals(void)
{
	static const int ignored[] = { SIGXFSZ, /* an error of writing, and told */
				       SIGPIPE, SIGHUP,	 SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
				       SIGUSR2, SIGALRM, SIGTSTP, SIGTTIN, SIGTTOU, SIGVTALRM,
				       SIGPROF, SIGIO,	 SIGPWR,  SIGXCPU };

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
}

int serve_run(int listener, int control, void (*written)(const char *path))
{
	struct rlimit files;

	server = (struct server){ .listener = listener, .control = control, .written = written };
	clock_find();
	int error = path_decide(getenv("TPTRACE_OUTPUT"));

	if (error)
		return error;
	if (pipe2(server.wake_fd, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	outlive_signals();
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	while (!server.is_alone || server.clients) {
		if (!serve_once())
			return -ENOMEM;
		join_finished();
		if (!server.is_alone)
			tell_parent();
	}
	close(server.control);
	return 0;
}

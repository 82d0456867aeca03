/* SPDX-License-Identifier: MIT */
/*
 * serve.c - takes in sessions, gives each a thread, and sees their processes end.
 *
 *	record			collector			program
 *	starts both		serve_once() polls		connects, with its memory
 *	keeps the memory  KEEP	client_of(), a thread	   `y`
 *				drains its chunks		runs, and talks to nobody
 *	wait4() returns	 ENDED						ends, or is killed
 *				note_death(); the thread drains the rest, ends the trace
 *	lets go	       LET_GO	join_finished()
 *	asks		  ASK
 *	says so, exits	 DONE	ends
 *
 * If the collector is killed on the way, record has what it kept, and hands it to a new one
 * (inherit_client()); if record is, the collector goes on by itself to the last program's end.
 */
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

#include "collector/session/hello.h"
#include "collector/drain/path.h"
#include "collector/outside/client.h"
#include "collector/session/futex.h"
#include "collector/session/point.h"
#include "collector/session/proc.h"
#include "collector/session/shared.h"

#define POLL_MS 200 /* how often processes without a pidfd are checked */

struct server {
	int listener, wake_fd[2];
	int spare_fd;	    /* given up to answer who comes when there are no more descriptors */
	int control;	    /* the same to the end: threads of clients use it, too */
	bool is_alone;	    /* nobody is at the other end of it */
	bool asked, leave;  /* it waits for an answer; .. for whoever lives, too, or not */
	uint32_t n_covered; /* processes that have a trace, or a line says why not */
	struct client *clients;
};

static struct server server;

static void wake_self(void)
{
	if (write(server.wake_fd[1], "", 1) < 0)
		errno = 0; /* it is full: the reader wakes up anyway */
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static struct client_calls calls = { .say = say, .finished = wake_self };

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
		return; /* the parent is gone */
}

int serve_listen(char *name, size_t room)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	uint64_t random[2];
	int fd, error;

	/* in the abstract namespace anybody may take a name that can be guessed, before us */
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	snprintf(name, room, "tptrace.%016llx%016llx", (unsigned long long)random[0],
		 (unsigned long long)random[1]);
	memcpy(address.sun_path + 1, name, strlen(name));
	/* packets: a message and its descriptors come together, or not at all */
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

/* ---- what the parent keeps ---- */

/* Receives a message, and its descriptors into fd[], -1 for each that there is none of.  How many
 * bytes it has, as recvmsg(); there is room for no more descriptors. */
static ssize_t receive(int socket, void *data, size_t bytes, int fd[2], int flags)
{
	struct iovec piece = { data, bytes };
	union {
		char bytes[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct msghdr message = { .msg_iov = &piece,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	const struct cmsghdr *part;
	ssize_t n;

	do
		n = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	fd[0] = fd[1] = -1;
	part = n < 0 ? NULL : CMSG_FIRSTHDR(&message);
	if (part && part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(part), part->cmsg_len - CMSG_LEN(0));
	return n;
}

/* The parent gets the memory of a process: waits for it, but not for ever.  From then on it may be
 * this one that dies. */
static void hand_to_parent(const struct client *client)
{
	struct serve_message said = { .kind = SERVE_KEEP,
				      .pid = client->pid,
				      .inode = client->inode };
	int fd[2] = { client->memory, client->pidfd };
	size_t bytes = (client->pidfd >= 0 ? 2 : 1) * sizeof(int);
	struct iovec piece = { &said, offsetof(struct serve_message, text) };
	union {
		char bytes[CMSG_SPACE(sizeof(fd))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct msghdr message = { .msg_iov = &piece,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = CMSG_SPACE(bytes) };
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);

	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_RIGHTS;
	part->cmsg_len = CMSG_LEN(bytes);
	memcpy(CMSG_DATA(part), fd, bytes);
	if (!server.is_alone && sendmsg(server.control, &message, MSG_NOSIGNAL) < 0)
		errno = 0; /* then nobody else has it */
}

static void take_from_parent(const struct client *client)
{
	const struct serve_message said = { .kind = SERVE_LET_GO, .inode = client->inode };

	if (!server.is_alone && send(server.control, &said, offsetof(struct serve_message, text),
				     MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		errno = 0; /* it keeps it, and finds the trace whole */
}

ssize_t serve_receive(int control, struct serve_message *message, struct serve_kept *kept)
{
	int fd[2];
	ssize_t n = receive(control, message, sizeof(*message), fd, MSG_DONTWAIT);

	*kept = (struct serve_kept){ .pid = message->pid,
				     .pidfd = fd[1],
				     .memory = fd[0],
				     .status = -1,
				     .inode = message->inode };
	return n;
}

/* ---- taking them in ---- */

/* Whether the process reads our clock, as far as is known. */
static bool has_our_clock(const struct hello *hello)
{
	char ours[sizeof(hello->time_space)];

	hello_time_space(ours);
	return !ours[0] || !hello->time_space[0] ||
	       strncmp(ours, hello->time_space, sizeof(ours)) == 0;
}

static int receive_memory(int socket)
{
	struct hello hello = { 0 };
	int fd[2];
	ssize_t n = receive(socket, &hello, sizeof(hello), fd, 0);

	if (n == sizeof(hello) && memcmp(hello.magic, HELLO_MAGIC, sizeof(hello.magic)) == 0 &&
	    hello.layout == SESSION_LAYOUT && has_our_clock(&hello) && fd[1] < 0)
		return fd[0];
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	return -1;
}

/* The process became another program: nothing of the one before is left but its trace. */
static void note_exec(struct client *client)
{
	client->execed = true;
	client_ended(client);
}

static struct client *client_of(int fd)
{
	struct client *client = client_new(&calls);
	struct ucred peer;
	socklen_t bytes = sizeof(peer);

	if (!client)
		return NULL;
	/* another user's process would have its trace written with our rights */
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) < 0 || peer.uid != geteuid() ||
	    peer.pid <= 0) {
		server.n_covered++; /* it collects by itself */
		client_free(client);
		return NULL;
	}
	for (struct client *before = server.clients; before; before = before->next)
		if (before->pid == peer.pid && !atomic_load(&before->dead))
			note_exec(before);
	client->pid = peer.pid;
	/* before it is answered, so that it is alive: a number alone may be another's later */
	client->pidfd = (int)syscall(SYS_pidfd_open, peer.pid, 0);
	client->memory = receive_memory(fd);
	if (client->memory >= 0 && client_map(client) == 0) {
		hand_to_parent(client);
		test_point("join:kept");
		if (client_start(client) == 0)
			return client;
		take_from_parent(client);
	}
	client_free(client);
	return NULL;
}

static void add_client(struct client *client)
{
	client->next = server.clients;
	server.clients = client;
}

/* One that another collector had. */
static void inherit_client(const struct serve_left *left, const struct serve_kept *kept)
{
	struct client *client = client_new(&calls);

	if (!client)
		return;
	client->inherited = true;
	client->pid = kept->pid;
	client->pidfd = kept->pidfd;
	client->memory = kept->memory;
	client->status = kept->status;
	if (client_map(client) < 0) {
		client_free(client);
		return;
	}
	atomic_store(&client->session->died_ns, left->died_ns);
	atomic_store(&client->session->died_of, left->died_of);
	add_client(client);
}

/*
 * Without descriptors the spare one is given up, so that who comes gets an answer at once: a no, as
 * none is left for its memory.  Who stays in the queue would wake poll() for ever.
 */
static int accept_one(void)
{
	int fd = accept4(server.listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd >= 0 || (errno != EMFILE && errno != ENFILE) || server.spare_fd < 0)
		return fd;
	close(server.spare_fd);
	server.spare_fd = -1;
	return accept4(server.listener, NULL, NULL, SOCK_CLOEXEC);
}

static void keep_spare(void)
{
	if (server.spare_fd < 0)
		server.spare_fd = fcntl(server.wake_fd[0], F_DUPFD_CLOEXEC, 0);
}

/* False if nobody was there, or none could be answered. */
static bool take_in(void)
{
	const struct timeval patience = { .tv_sec = HELLO_WAIT_S };
	int fd = accept_one();
	struct client *client;

	if (fd < 0) {
		keep_spare();
		return false;
	}
	/* who connects and says nothing must not keep others waiting */
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	client = client_of(fd);
	if (client)
		add_client(client);
	if (send(fd, client ? (char[]){ HELLO_YES } : "n", 1, MSG_NOSIGNAL) < 0)
		errno = 0; /* it died meanwhile: the pidfd says so */
	close(fd);
	keep_spare();
	return true;
}

/* ---- seeing them end ---- */

/* The status of a zombie, as wait() has it; -1 if it is none. */
static int status_of(int pid)
{
	struct procstat stat;
	const char *state =
		procstat_read(&stat, pid, 0) ? procstat_field(&stat, PROCSTAT_STATE) : NULL;
	const char *is =
		state && strchr("ZXx", *state) ? procstat_field(&stat, PROCSTAT_STATUS) : NULL;
	int status;

	return is && sscanf(is, "%d", &status) == 1 ? status : -1;
}

/*
 * Whether the process has let go of its memory and lives: it is another program.  A process that
 * dies lets go of it a little earlier than the kernel says so.
 */
static bool has_left(struct client *client, uint64_t now_ns)
{
	if (!client->session->locked || flock(client->memory, LOCK_SH | LOCK_NB) < 0) {
		client->left_ns = 0;
		return false;
	}
	flock(client->memory, LOCK_UN);
	if (!client->left_ns)
		client->left_ns = now_ns;
	return now_ns - client->left_ns >= POLL_MS * UINT64_C(1000000);
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
		if (client->started)
			pthread_join(client->thread, NULL);
		server.n_covered += client->is_covered;
		test_point("leave:whole");
		take_from_parent(client);
		test_point("leave:said");
		client_free(client);
	}
}

/* Counts those that live, and those whose end is being written. */
static void count_clients(uint32_t *n_live, uint32_t *n_ending)
{
	*n_live = *n_ending = 0;
	for (const struct client *client = server.clients; client; client = client->next)
		if (atomic_load(&client->dead) ||
		    (client->started && atomic_load(&client->session->state) == SESSION_CLOSED))
			++*n_ending;
		else
			++*n_live;
}

static void answer_parent(void)
{
	struct serve_message message = { .kind = SERVE_DONE };
	uint32_t n_ending;

	count_clients(&message.n_left, &n_ending);
	message.n_seen = server.n_covered + message.n_left;
	if (n_ending || (message.n_left && !server.leave))
		return;
	if (send(server.control, &message, sizeof(message), MSG_NOSIGNAL) >= 0)
		server.asked = false;
}

/* Before the process is reaped: from then on its number may be another's. */
static void note_status(int pid, int status)
{
	for (struct client *client = server.clients; client; client = client->next)
		if (client->pid == pid && !atomic_load(&client->dead) && client->status < 0)
			client->status = status;
}

static void hear_parent(void)
{
	struct serve_message message;
	ssize_t n = -1;

	while (!server.is_alone &&
	       (n = recv(server.control, &message, sizeof(message), MSG_DONTWAIT)) > 0) {
		if (message.kind == SERVE_ENDED)
			note_status(message.pid, message.status);
		server.asked |= message.kind == SERVE_ASK || message.kind == SERVE_LEAVE;
		server.leave |= message.kind == SERVE_LEAVE;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) /* else a filter forbids us to read */
		return;
	server.is_alone = true; /* it was killed, or has its answer */
	if (chdir("/") < 0)
		errno = 0; /* then it keeps the folder busy, no more */
}

/* Either it is a zombie still, or the parent has said how it ended, which needs no permission. */
static void note_death(struct client *client)
{
	int status = status_of(client->pid);

	hear_parent();
	if (client->status < 0)
		client->status = status;
	client_ended(client);
}

/* Waits for whatever comes next, and sees to it.  False if there is no memory to do so. */
static bool serve_once(void)
{
	enum { LISTENER, CONTROL, WAKE, FIXED };
	const bool asked = server.asked; /* who connected before the question is taken in first */
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
	poll(poll_fd, n, POLL_MS);
	bool comes = poll_fd[LISTENER].revents;

	if (poll_fd[CONTROL].revents)
		hear_parent();
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
	comes = comes && take_in();
	free(poll_fd);
	join_finished();
	if (asked && server.asked && !comes)
		answer_parent();
	else if (server.asked)
		wake_self();
	return true;
}

/*
 * A signal that ends a whole job, a session or a group is for the program, and its trace is written
 * when it has ended: that takes no longer than the program does.
 */
static void outlive_signals(void)
{
	static const int ignored[] = { SIGXFSZ, /* then write() fails, which is reported */
				       SIGPIPE, SIGHUP,	 SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
				       SIGUSR2, SIGALRM, SIGTSTP, SIGTTIN, SIGTTOU, SIGVTALRM,
				       SIGPROF, SIGIO,	 SIGPWR,  SIGXCPU };

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
}

int serve_run(int listener, int control, const struct serve_left *left,
	      const struct client_helpers *helpers)
{
	const struct timeval patience = { .tv_sec = 1 };
	struct rlimit files;

	server = (struct server){ .listener = listener, .control = control, .spare_fd = -1 };
	calls.helpers = *helpers;
	/* a parent that is stopped (^Z) shall not stop the collecting */
	setsockopt(control, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	clock_find();
	int error = path_decide(getenv("TPTRACE_OUTPUT"));

	if (error)
		return error;
	if (pipe2(server.wake_fd, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	keep_spare();
	outlive_signals();
	/* three descriptors a process: memory, pidfd, trace (two before it is made) */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	for (uint32_t i = 0; i < left->n; i++)
		inherit_client(left, &left->kept[i]);
	while (!server.is_alone || server.clients) {
		if (!serve_once())
			return -ENOMEM;
	}
	close(server.control);
	return 0;
}

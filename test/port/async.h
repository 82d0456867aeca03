/* SPDX-License-Identifier: MIT */
/*
 * async.h - port.h over std::async: each task is a thread, which the kernel schedules.  It has no
 * dependences.
 */
#pragma once

#include <future>
#include <vector>

#define PORT_DEPENDS 0
#define PORT_NESTS 1

struct port_task {
	char unused;
};
using port_group = std::vector<std::future<void>>;

static inline void port_wait(port_group &group)
{
	for (std::future<void> &each : group)
		each.get();
	group.clear();
}

#define PORT_BODY(name, type) static void name(type *at);
#define PORT_OPEN(group) port_group group
#define PORT_CREATE(group, body, at)                                                               \
	do {                                                                                       \
		auto *port_at = (at);                                                              \
		(group).push_back(std::async(std::launch::async, [port_at] { body(port_at); }));   \
	} while (0)
#define PORT_WAIT(group) port_wait(group)
#define PORT_CLOSE(group) (void)(group)
#define PORT_RUN(call) call

static inline void port_start(void)
{
}

static inline void port_stop(void)
{
}

static inline void port_counts(void)
{
}

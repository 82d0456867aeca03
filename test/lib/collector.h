/* SPDX-License-Identifier: MIT */
/*
 * collector.h - for tests that have the recorder built in: a collector that does nothing.
 *
 * A test that takes what is recorded copies it and puts functions of its own in.
 */
#pragma once

#include "preload/collector.h"

static inline int idle_start(struct session *session)
{
	(void)session;
	return 0;
}

static inline bool idle_false(struct session *session)
{
	(void)session;
	return false;
}

static inline void idle_end(struct session *session, const char *how)
{
	(void)session;
	(void)how;
}

static inline void idle_pause(struct session *session, const char *how, enum leave leave)
{
	(void)leave;
	idle_end(session, how);
}

static inline void idle_session(struct session *session)
{
	(void)session;
}

static inline void idle_absent(bool filtered)
{
	(void)filtered;
}

static const struct collector idle_collector = {
	.start = idle_start,
	.succeed = idle_false,
	.pause = idle_pause,
	.finish = idle_end,
	.pause_at_exit = idle_session,
	.close_at_exit = idle_false,
	.abandon = idle_session,
	.absent = idle_absent,
};

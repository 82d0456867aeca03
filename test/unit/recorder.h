/* SPDX-License-Identifier: MIT */
/*
 * recorder.h - the recorder, built into a test: libtptrace.so hides what is looked at.
 *
 * Included once, by the test, before anything else.  A test defines TEST_POINTS, __get_cpuid or
 * CLOCKSOURCES before it where it puts its own there.
 */
#pragma once

/* NOLINTBEGIN */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* a file's names are its own */
#include "collector/session/cgroup.c"
#include "collector/session/chunk.c"
#include "collector/session/clock.c"
#include "preload/cputime.c"
#include "preload/control.c"
#include "preload/libc.c"
#include "preload/module.c"
#include "preload/own_cost.c"
#include "preload/probes.c"
#include "preload/programs.c"
#include "preload/record.c"
#include "preload/budget.c"
#include "preload/session.c"
#include "collector/session/shared.c"
#include "preload/stack.c"
#include "preload/store.c"
#include "preload/start.c"
#include "preload/trial.c"
#include "preload/watch.c"
#include "preload/worker.c"
#pragma GCC diagnostic pop
/* NOLINTEND */

/* SPDX-License-Identifier: MIT */
/*
 * process_info.h - what a process says of itself, written into its session when that starts.
 *
 * Called in the process, by the thread that starts the session.  The collector, wherever it is,
 * takes all of this from the session and nothing from the process that it runs in.
 */
#pragma once

#include "preload/session.h"

void process_info_gather(struct session *session);

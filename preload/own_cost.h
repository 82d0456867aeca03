/* SPDX-License-Identifier: MIT */
/*
 * own_cost.h - what recording takes, as it measures on the thread that starts the session.
 *
 * Each figure is the least of some rounds: a lower bound, since the report subtracts it from a
 * run.  All of them take some tenths of a millisecond.
 */
#pragma once

struct session;

/* Sets session->event_ps and strand_ps; 0 without memory. */
void own_cost_measure(struct session *session);

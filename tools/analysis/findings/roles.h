/* SPDX-License-Identifier: MIT */
/*
 * roles.h - what each strand of the ready path is to the workers that have nothing to do meanwhile.
 *
 *	SERIAL	  code between, before or after tasks, or at the start or end of one
 *	PRODUCER  code of a task that creates many, between two creations
 *	CHAIN	  a task that another one depends on, or that depends on another one
 *	LEAF	  a task that creates none: others wait for it
 *	TEAM	  a member's own code, which the barrier of its team waits for
 *	LOCK	  it holds what the next strand of the path waits for
 */
#pragma once

#include "tools/analysis/ready_path.h"

enum role { ROLE_SERIAL, ROLE_PRODUCER, ROLE_CHAIN, ROLE_LEAF, ROLE_TEAM, ROLE_LOCK, ROLES };

#define PRODUCER_TASKS 10u /* creations on the path that make a task a producer */

struct roles {
	uint8_t *role;	/* by number on the path: enum role */
	uint8_t *edge;	/* enum edge_kind, from the strand before */
	uint16_t *wait; /* of the join that the strand leads to next, in dag->wait[]; 0: none */
};

void roles_build(struct roles *roles, const struct dag *dag, const struct ready_path *path);
void roles_free(struct roles *roles); /* a zeroed one is fine */

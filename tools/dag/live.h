/* SPDX-License-Identifier: MIT */
/*
 * live.h - what each floor of dag_build() knows of a task that has begun and not ended.
 *
 * The state makes and frees them; a field is written by the floor that it stands under.
 */
#pragma once

#include "tools/dag/ids.h"

struct list {
	task_id head, tail; /* NONE if empty; linked through task_slot */
};

struct live {
	task_id task;
	task_id parent;
	uint8_t ended_by; /* enum wire_kind of what ended its newest strand */
	bool by_name;	  /* it began as who had a name, after the first gap */
	uint8_t wait;	  /* join: enum wire_wait; 0 if it turned out to be none */
	bool has_object;  /* join: `object` was said of the wait */
	uint32_t n_open;  /* children created or begun, and not complete */
	union {
		task_id created;    /* ended_by WIRE_CREATE */
		uint32_t next_free; /* of one that has ended */
	};
	/* depend */
	uint32_t depends; /* its children's dependences; NONE */
	uint32_t preds;	  /* what WIRE_WAIT_DEPEND is for; NONE */
	/* scope */
	uint32_t scope;	      /* innermost */
	uint32_t home;	      /* the scope that it belongs to itself */
	struct list children; /* ended, of those created outside its own taskgroups */
	uint32_t more;	      /* struct live_more; 0: that of those who have none */
};

/* Of a member of a team, or who has forked one or waited for an object: most tasks never do. */
struct live_more {
	/* barrier */
	uint32_t team; /* it is a member of; NONE */
	union {
		uint32_t team_next; /* live of the member before; NONE */
		uint32_t next_free; /* of one that nobody has */
	};
	uint32_t team_prev; /* of the member after; NONE */
	uint32_t episode;   /* its team waits so far */
	uint32_t meeting;   /* it waits there for the first to go on; NONE */
	uint32_t met_next;  /* live that came there before it; NONE */
	strand_id met;	    /* the meeting's node, once the first has gone on; STRAND_NONE */
	/* join: what it waits for, since its last strand ended */
	uint32_t forked; /* the team; ended_by WIRE_FORK */
	task_id named;	 /* who had the object's name when the wait began; TASK_NONE */
	uint64_t object;
};

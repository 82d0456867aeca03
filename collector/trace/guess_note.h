/* SPDX-License-Identifier: MIT */
/* guess_note.h - takes note of events, for the guesses of guess.h. */
#pragma once

#include "collector/trace/guess.h"

static inline void predict_push_task(struct predictor *p, uint64_t id)
{
	p->task[p->n_task++ % PREDICT_TASKS] = id;
	predict_begun(&p->names, predict_level(p));
}

static inline void predict_site(struct predictor *p, uint64_t b)
{
	p->next[predict_site_slot(p)] = b;
	p->last_site = b;
}

static inline void predict_field(struct predictor *p, unsigned field)
{
	p->next_field[p->last_field] = field % PREDICT_FIELDS;
	p->last_field = field % PREDICT_FIELDS;
}

/* Takes note of an event.  Returns the id that it made, or 0. */
static inline __attribute__((always_inline)) uint64_t predict_note(struct predictor *p,
								   enum wire_kind kind, uint64_t b)
{
	p->n_ids = ids_after(kind, b, p->n_ids);
	uint64_t made = kind_makes(kind) ? p->made_base | p->n_ids : 0;

	switch (kind) {
	case WIRE_ROOT:
		predict_push_task(p, made);
		break;
	case WIRE_MEMBER:
		predict_push_task(p, made);
		p->last_group = b;
		break;
	case WIRE_START:
		predict_push_task(p, made);
		predict_started(&p->names, predict_level(p), b);
		if (p->name[(p->n_name - 1) % PREDICT_FRESH] == b)
			p->n_name--;
		break;
	case WIRE_NAME:
		p->name[p->n_name++ % PREDICT_FRESH] = b;
		predict_named(&p->names, predict_task(p), predict_site_slot(p), b);
		break;
	case WIRE_BAG:
		p->names.level[predict_level(p)].bag = b;
		break;
	case WIRE_OBJECT:
		predict_waited(&p->names, predict_task(p), b);
		break;
	case WIRE_BEGIN:
		if (p->fresh[(p->n_fresh - 1) % PREDICT_FRESH] == b)
			p->n_fresh--;
		p->last_begun = b;
		predict_push_task(p, b);
		break;
	case WIRE_RESUME:
		if (predict_task(p) != b)
			predict_push_task(p, b);
		break;
	case WIRE_CREATE:
		p->fresh[p->n_fresh++ % PREDICT_FRESH] = made;
		predict_created(&p->names, predict_level(p));
		predict_site(p, b);
		break;
	case WIRE_FORK:
	case WIRE_WAIT:
	case WIRE_YIELD:
		predict_site(p, b);
		break;
	case WIRE_END:
		predict_ended(&p->names, predict_level(p));
		p->n_task--;
		break;
	case WIRE_COLLAPSED:
		predict_field(p, collapsed_field(b));
		break;
	default:
		break;
	}
	return made;
}

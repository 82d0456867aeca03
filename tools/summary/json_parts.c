/* SPDX-License-Identifier: MIT */
/* json_parts.c - components as members of JSON objects. */
#include "tools/summary/json_parts.h"

static void put_rest(struct json *to, const struct charge *charge)
{
	JSON_NUMBERS(to, { "delay_ns", charge->delay_ns },
		     { "no_work_sched_ns", charge->no_work_sched_ns },
		     { "no_work_app_ns", charge->no_work_app_ns });
}

void json_put_charge(struct json *to, const struct charge *charge)
{
	json_number(to, "work_ns", charge->work_ns);
	put_rest(to, charge);
}

void json_put_free(struct json *to, const char *key, const struct charge *charge)
{
	json_open(to, key, '{');
	put_rest(to, charge);
	json_close(to, '}');
}

void json_put_states(struct json *to, const struct charge state[STATES])
{
	json_open(to, "states", '{');
	json_open(to, state_name[STATE_RUNNING], '{');
	json_number(to, "work_ns", state[STATE_RUNNING].work_ns);
	json_close(to, '}');
	for (int i = STATE_RUNNING + 1; i < STATES; i++)
		if (state_seen(state, i))
			json_put_free(to, state_name[i], &state[i]);
	json_close(to, '}');
}

void json_put_ready_path(struct json *to, const struct breakdown *b)
{
	json_open(to, "ready_path", '{');
	JSON_NUMBERS(to, { "work_ns", b->path_work_ns },
		     { "scheduler_delay_ns", b->path_scheduler_delay_ns },
		     { "busy_delay_ns", b->path_busy_delay_ns });
	json_close(to, '}');
}

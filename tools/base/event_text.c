/* SPDX-License-Identifier: MIT */
/* event_text.c - an event as a line of text; and its words. */
#include "tools/base/event_text.h"

#include <inttypes.h>

#define WORD(number, name, word, ...) [number] = word,
const char *const text_kind[WIRE_KINDS] = { EVENTS(WORD) };
const char *const text_wait[WIRE_WAITS] = { WIRE_WAIT_LIST(WORD) };
const char *const text_depend[WIRE_DEPENDS] = { WIRE_DEPEND_LIST(WORD) };
const char *const text_loss[WIRE_LOSSES] = { WIRE_LOSS_LIST(WORD) };
const char *const text_tally[WIRE_TALLY_BY_WORK + 1] = { WIRE_TALLY_LIST(WORD) };

const struct text_worded *text_worded(enum operand operand)
{
	static const char *const message[] = { WIRE_MESSAGE_LIST(WORD) };
	static const char *const field[] = { WIRE_FIELD_LIST(WORD) };
	static const char *const collapsed[] = { WIRE_COLLAPSED_LIST(WORD) };
	static const struct text_worded worded[] = {
		[OPERAND_MESSAGE] = { message, WIRE_MESSAGES, WIRE_FIELD_SHIFT,
				      "message needs what, and a number" },
		[OPERAND_FIELD] = { field, WIRE_FIELDS, WIRE_FIELD_SHIFT,
				    "data and operation need what, and a number" },
		[OPERAND_COLLAPSED] = { collapsed, WIRE_COLLAPSED_FIELDS, WIRE_COLLAPSED_SHIFT,
					"collapsed needs what, and a number" },
	};

	return worded[operand].word ? &worded[operand] : NULL;
}

#define FLAG(number, name, word) { word, number },
const struct text_flag *text_flags(enum operand operand)
{
	static const struct text_flag task[] = { WIRE_TASK_FLAGS(FLAG){ NULL, 0 } };
	static const struct text_flag fork[] = { WIRE_FORK_FLAGS(FLAG){ NULL, 0 } };
	static const struct text_flag wait[] = { WIRE_WAIT_FLAGS(FLAG){ NULL, 0 } };
	static const struct text_flag none[] = { { NULL, 0 } };

	switch (operand) {
	case OPERAND_TASK:
		return task;
	case OPERAND_FORK:
		return fork;
	case OPERAND_WAIT:
		return wait;
	default:
		return none;
	}
}

char *text_id(char *out, uint64_t id)
{
	snprintf(out, 32, "%" PRIu32 ".%" PRIu64, id_worker(id), id_n(id));
	return out;
}

static const char *word_of(const char *const *word, size_t n, uint64_t i)
{
	return i < n && word[i] ? word[i] : "?";
}

static void put_site(FILE *out, enum operand operand, uint64_t b)
{
	if (operand == OPERAND_WAIT) /* the low byte is no set of flags but what for */
		fprintf(out, " %s", word_of(text_wait, WIRE_WAITS, site_flags(b) & 0xff));
	fprintf(out, " site=%" PRIu32, site_number(b));
	for (const struct text_flag *flag = text_flags(operand); flag->word; flag++)
		if (site_flags(b) & flag->flag)
			fprintf(out, " %s", flag->word);
}

static void put_tally(FILE *out, uint64_t b)
{
	uint32_t part = tally_part(b), bucket = part - WIRE_TALLY_BY_WORK;

	if (part < WIRE_TALLY_BY_WORK)
		fprintf(out, " site=%" PRIu32 " %s", tally_site(b),
			word_of(text_tally, WIRE_TALLY_BY_WORK, part));
	else
		fprintf(out, " site=%" PRIu32 " %s %" PRIu32, tally_site(b),
			text_tally[WIRE_TALLY_BY_WORK], bucket);
	fprintf(out, " %" PRIu64, tally_value(b));
}

static void put_operand(FILE *out, unsigned kind, uint64_t b)
{
	enum operand operand = kind_operand(kind);
	const struct text_worded *worded = text_worded(operand);
	char id[32];

	switch (operand) {
	case OPERAND_NONE:
		break;
	case OPERAND_ID:
		fprintf(out, "%s %s", kind_makes(kind) ? " of" : "", text_id(id, b));
		break;
	case OPERAND_SITE:
	case OPERAND_TASK:
	case OPERAND_FORK:
	case OPERAND_WAIT:
		put_site(out, operand, b);
		break;
	case OPERAND_NAME:
		fprintf(out, "%s 0x%" PRIx64, kind_makes(kind) ? " named" : "", b);
		break;
	case OPERAND_NUMBER:
	case OPERAND_PATH:
	case OPERAND_TICKS:
		fprintf(out, " %" PRIu64, b);
		break;
	case OPERAND_DEPEND:
		fprintf(out, " %s 0x%" PRIx64, word_of(text_depend, WIRE_DEPENDS, depend_type(b)),
			depend_address(b));
		break;
	case OPERAND_LOST:
		fprintf(out, " %" PRIu64, lost_n(b));
		if (lost_why(b))
			fprintf(out, " %s", word_of(text_loss, WIRE_LOSSES, lost_why(b)));
		break;
	case OPERAND_COLLAPSED:
	case OPERAND_MESSAGE:
	case OPERAND_FIELD:
		fprintf(out, " %s %" PRIu64, word_of(worded->word, worded->n, b >> worded->shift),
			b & ((UINT64_C(1) << worded->shift) - 1));
		break;
	case OPERAND_TALLY:
		put_tally(out, b);
		break;
	case OPERAND_COUNTER:
		fprintf(out, " %u %" PRIu64, field_number(b), field_value(b));
		break;
	}
}

void text_event(FILE *out, uint32_t worker, const struct event *event)
{
	char made[32];

	if (kind_timed(event->kind))
		fprintf(out, "%" PRIu64, event->units);
	else
		fputc('-', out);
	fprintf(out, " w%u %s", worker, text_kind[event->kind]);
	if (kind_makes(event->kind))
		fprintf(out, " %s", text_id(made, event->made));
	put_operand(out, event->kind, event->b);
	fputc('\n', out);
}

/* SPDX-License-Identifier: MIT */
/* what_if.h - reads what is to be changed: names of kinds and places as users write them. */
#pragma once

#include "tools/model/change.h"
#include "tools/model/policy.h"
#include "tools/run/run.h"
#include "tools/table/places.h"

enum what_if {
	IF_WITHOUT_LOCK,
	IF_SPLIT,
	IF_MERGE,
	IF_PRIORITY,
	IF_LONGEST_FIRST,
	IF_CALL,
	IF_SPEED,
	IF_COST,
	IF_UNTIED,
	IF_NO_THROTTLE,
	WHAT_IFS
};
extern const char *const what_if_name[WHAT_IFS]; /* "without-lock", .. */

/* Whether the words are of that form: NAME:2, NAME=1.5, create=0, steal@PLACE=2us. */
bool what_if_is_split(const char *text);
bool what_if_is_speed(const char *text);
bool what_if_is_cost(const char *text);
bool what_if_is_call(const char *text); /* NAME, or NAME=20us */

/* Whether the kind is called so; several may be. */
bool what_if_is_kind(const struct run *run, kind_id kind, const char *typed);

/* The code's function and line, or else the site's; those of roots: "main". */
struct place what_if_place(const struct run *run, kind_id kind);

/* How --split and the like name the kind, and --without-lock the locks waited for at a site, so
 * that as few others as possible are called so, too.  False if the run names it in no way. */
bool what_if_kind(const struct run *run, kind_id kind, char *out, size_t room);
bool what_if_lock(const struct run *run, site_id site, char *out, size_t room);

/* Adds a change; `text` is its value, NULL of the last two.  0, or -errno and *err: the trace has
 * no such kind or place. */
int what_if_add(struct changes *changes, struct policy *policy, const struct run *run,
		enum what_if what, const char *text, struct err *err);

struct kind_names {
	char **name; /* n, by kind */
	uint32_t n;
};

void kind_names_make(struct kind_names *names, const struct run *run);
void kind_names_free(struct kind_names *names);			      /* a zeroed one is fine */

/* SPDX-License-Identifier: MIT */
/* sentence.h - what causes say of their findings: templates over facts. */
#pragma once

#include "tools/analysis/findings/findings.h"

/* A sentence that grows. */
struct sentence {
	const struct finding *finding;
	const struct finding_names *names;
	char *at;
	size_t room;
};

/*
 * Adds a template to it.  {id} is the fact of that id, {id:times} is "once" or "3 times", {id:s}
 * what makes a noun plural, {id:1} has one decimal.  {lost_ns} and {elapsed_ns} are the finding's,
 * and {setting} is its runtime's (setting_of()).
 */
void say(struct sentence *sentence, const char *template);

/* By what users say how many workers a runtime of that name has; of an unknown or empty one: by
 * what of the most common ones. */
const char *setting_of(const char *runtime);

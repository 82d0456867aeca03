/* SPDX-License-Identifier: MIT */
/* screen_parts.h - the parts of the screen, each in a file of its own, from top to bottom. */
#pragma once

#include <stdio.h>
#include "tools/table/look.h"
#include "tools/summary/profile.h"
#include "tools/summary/summary.h"

/* What ran where: a line, which wraps. */
void screen_put_header(FILE *out, const struct summary *summary, const struct look *look);

/* What the reader must know before believing the rest. */
void screen_put_warnings(FILE *out, const struct summary *summary, const struct look *look);

struct found;
void screen_put_finding(FILE *out, uint32_t number, const struct found *found,
			const struct look *look);
/* "(--explain lock|fine says more)": of n findings, each cause once, from that column on. */
void screen_put_hint(FILE *out, const struct finding *const *finding, uint32_t n, int at,
		     const struct look *look);
/* Causes, the most costly first, with what to try. */
void screen_put_findings(FILE *out, const struct summary *summary, const struct look *look);
#define SCREEN_FINDINGS 3u /* `verbose` has all of them */
uint32_t screen_findings_shown(const struct summary *summary, const struct look *look);

/* What workers were in as time goes by, with the findings' numbers where they have a time. */
void screen_put_strip(FILE *out, const struct summary *summary, const struct look *look);

/* The four components, the ready path, the span; runtimes if there are several; small teams. */
void screen_put_components(FILE *out, const struct summary *summary);
void screen_put_runtimes(FILE *out, const struct summary *summary);
void screen_put_teams(FILE *out, const struct summary *summary);

/* SPDX-License-Identifier: MIT */
/* fork_looks.c - labels, colours and sizes of nodes. */
#include "tools/export/fork_looks.h"

#include <inttypes.h>
#include <stdio.h>

#include "tools/base/units.h"
#include "tools/base/utf8.h"
#include "tools/base/ratio.h"

#define TASK_WIDTH 30u
#define STEP_HEIGHT 30u
#define STEPS 10u
#define CIRCLE 10u

const char *fork_label(const struct export *export, const struct fork_node *node,
		       char out[FORKS_LABEL])
{
	const char *name = export->name[node->kind];
	char time[UNITS_TIME], many[40] = "";

	if (node->type != FORKS_TASK)
		return node->type == FORKS_FORK ? "^" : "*";
	if (node->n_tasks > 1)
		snprintf(many, sizeof(many), "%" PRIu64 " tasks, ", node->n_tasks);
	snprintf(out, FORKS_LABEL, "%.*s\n%s%s", (int)utf8_part(name, EXPORT_NAME - 1), name, many,
		 units_time(time, node->work_ns));
	return out;
}

const char *fork_color(const struct export *export, const struct fork_node *node)
{
	/* work / cost: below 1 the task should be a call */
	static const struct {
		double below;
		const char *color;
	} step[] = { { 1, "#D73027" },	{ 2, "#FC8D59" },   { 5, "#FEE090" },
		     { 10, "#E0F3F8" }, { 100, "#91BFDB" }, { 1e300, "#74ADD1" } };
	double benefit;
	size_t i = 0;

	if (node->type != FORKS_TASK)
		return node->type == FORKS_FORK ? "#2E8B57" : "#FF7F50";
	benefit = export->summary->findings.grain[node->kind].benefit;
	if (benefit <= 0)
		return "#CCCCCC";
	while (benefit >= step[i].below)
		i++;
	return step[i].color;
}

unsigned fork_width(const struct fork_node *node)
{
	return node->type == FORKS_TASK ? TASK_WIDTH : CIRCLE;
}

unsigned fork_height(const struct forks *graph, const struct fork_node *node)
{
	double share = ratio(node->work_ns, graph->most_work_ns);

	if (node->type != FORKS_TASK)
		return CIRCLE;
	return STEP_HEIGHT * (1 + (unsigned)(share * (STEPS - 1)));
}

/* SPDX-License-Identifier: MIT */
/* to_dot.c - the grain graph in the language of graphviz; facts are attributes of the graph. */
#include <inttypes.h>

#include "tools/export/format.h"
#include "tools/base/xalloc.h"
#include "tools/export/forks.h"
#include "tools/export/text.h"

#define POINTS_AN_INCH 72.0

static void put_dot_facts(FILE *out, const struct export *export, const struct forks *graph)
{
	for (uint32_t i = 0; i < export->n_facts; i++) {
		fprintf(out, "tptrace_%s=", export->fact[i].key);
		text_dot(out, export->fact[i].value);
		fputs(";\n", out);
	}
	fprintf(out, "tptrace_tasks_contracted=%" PRIu64 ";\n", graph->n_contracted);
}

static void put_node(FILE *out, const struct export *export, const struct forks *graph,
		     uint32_t number)
{
	const struct fork_node *node = &graph->node[number];
	char label[FORKS_LABEL], id[EXPORT_ID];

	fprintf(out, "n%u [type=%s, label=", number, fork_node_name[node->type]);
	text_dot(out, node->type == FORKS_TASK ? fork_label(export, node, label) : "");
	fprintf(out, ", fillcolor=\"%s\"", fork_color(export, node));
	if (node->type == FORKS_TASK)
		fprintf(out,
			", height=%.2f, task=\"%s\", num_tasks=%" PRIu64 ", work_cycles=%" PRIu64
			", exec_cycles=%" PRIu64 "%s",
			fork_height(graph, node) / POINTS_AN_INCH,
			export_id(export, node->task, id), node->n_tasks, node->work_ns,
			node->exec_ns, node->on_path ? ", color=red, penwidth=2" : "");
	else
		fputs(", shape=circle, fixedsize=true, width=0.2, height=0.2", out);
	fputs("];\n", out);
}

static void put_edge(FILE *out, const struct fork_edge *edge)
{
	fprintf(out, "n%u -> n%u [type=%s, weight=1, num_tasks=%" PRIu64 "%s];\n", edge->from,
		edge->to, fork_edge_name[edge->type], edge->n,
		edge->type == FORKS_DEPEND ? ", style=dashed, constraint=false" : "");
}

static void write_dot(const struct export *export, FILE *out)
{
	AT_END(forks_free) struct forks graph;

	forks_build(&graph, export, export->cut.n_nodes);

	fputs("digraph tptrace {\ncharset=\"UTF-8\";\n"
	      "node [shape=box, style=filled, fontname=\"sans-serif\"];\n",
	      out);
	put_dot_facts(out, export, &graph);
	for (uint32_t n = 0; n < graph.n_nodes; n++)
		put_node(out, export, &graph, n);
	for (uint32_t e = 0; e < graph.n_edges; e++)
		put_edge(out, &graph.edge[e]);
	fputs("}\n", out);
}

const struct format format_dot = {
	.name = "dot",
	.suffix = ".dot",
	.reader = "dot (graphviz)",
	.file = write_dot,
};

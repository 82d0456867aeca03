/* SPDX-License-Identifier: MIT */
/*
 * to_graphml.c - the grain graph as GraphML, with the names of properties that the grain-graph
 * prototype gives them, so that its maps for yEd and Cytoscape fit; *_cycles and *_instant are ns.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/export/format.h"
#include "tools/base/xalloc.h"
#include "tools/export/forks.h"
#include "tools/export/text.h"

static const struct {
	const char *element, *name, *type;
} keys[] = {
	{ "node", "name", "string" },
	{ "node", "label", "string" },
	{ "node", "type", "string" },
	{ "node", "shape", "string" },
	{ "node", "color", "string" },
	{ "node", "width", "double" },
	{ "node", "height", "double" },
	{ "node", "task", "string" },
	{ "node", "parent", "string" },
	{ "node", "cpu_id", "long" },
	{ "node", "child_number", "long" },
	{ "node", "num_children", "long" },
	{ "node", "num_tasks", "long" },
	{ "node", "exec_cycles", "long" },
	{ "node", "work_cycles", "long" },
	{ "node", "overhead_cycles", "long" },
	{ "node", "create_instant", "long" },
	{ "node", "exec_end_instant", "long" },
	{ "node", "tag", "string" },
	{ "node", "outline_function", "string" },
	{ "node", "source_line", "long" },
	{ "node", "leaf", "boolean" },
	{ "node", "parallel_benefit", "double" },
	{ "node", "problematic", "long" },
	{ "node", "on_ready_path", "long" },
	{ "edge", "type", "string" },
	{ "edge", "weight", "long" },
};

static void put_keys(FILE *out)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"\n"
	      "  xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
	      "  xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns "
	      "http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n",
	      out);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		fprintf(out, "<key id=\"%c_%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n",
			keys[i].element[0] == 'n' ? 'v' : keys[i].element[0], keys[i].name,
			keys[i].element, keys[i].name, keys[i].type);
}

static void put_text(FILE *out, const char *key, const char *text)
{
	fprintf(out, "<data key=\"v_%s\">", key);
	text_xml(out, text);
	fputs("</data>\n", out);
}

static void put_number(FILE *out, const char *key, uint64_t value)
{
	fprintf(out, "<data key=\"v_%s\">%" PRIu64 "</data>\n", key, value);
}

static void put_times(FILE *out, const struct fork_node *node)
{
	put_number(out, "work_cycles", node->work_ns);
	put_number(out, "exec_cycles", node->exec_ns);
	if (node->create_ns != EXPORT_UNKNOWN)
		put_number(out, "create_instant", node->create_ns);
	put_number(out, "exec_end_instant", node->end_ns);
}

static void put_task(FILE *out, const struct export *export, const struct fork_node *node)
{
	const struct kind_grain *grain = &export->summary->findings.grain[node->kind];
	const struct place *code = &export->summary->rows.code[node->kind];
	task_id parent = export->task[node->task].creator;
	FREED char *function = text_utf8(code->name);
	char id[EXPORT_ID];

	put_text(out, "task", export_id(export, node->task, id));
	if (parent != TASK_NONE)
		put_text(out, "parent", export_id(export, parent, id));
	if (node->worker < FORKS_SEVERAL)
		put_number(out, "cpu_id", node->worker);
	put_number(out, "child_number", node->child_number);
	put_number(out, "num_children", node->n_children);
	put_number(out, "num_tasks", node->n_tasks);
	put_times(out, node);
	put_text(out, "tag", export->name[node->kind]);
	put_text(out, "outline_function", function);
	put_number(out, "source_line", code->line);
	put_text(out, "leaf", node->n_children ? "false" : "true");
	if (grain->benefit > 0) {
		put_number(out, "overhead_cycles", grain->cost_ns * node->n_tasks);
		fprintf(out, "<data key=\"v_parallel_benefit\">%.3f</data>\n", grain->benefit);
		put_number(out, "problematic", grain->benefit < 1);
	}
	put_number(out, "on_ready_path", node->on_path);
}

static void put_node(FILE *out, const struct export *export, const struct forks *graph,
		     uint32_t number)
{
	const struct fork_node *node = &graph->node[number];
	char label[FORKS_LABEL], name[16];

	snprintf(name, sizeof(name), "n%u", number);
	fprintf(out, "<node id=\"%s\">\n", name);
	put_text(out, "name", name);
	put_text(out, "label", fork_label(export, node, label));
	put_text(out, "type", fork_node_name[node->type]);
	put_text(out, "shape", node->type == FORKS_TASK ? "rectangle" : "circle");
	put_text(out, "color", fork_color(export, node));
	put_number(out, "width", fork_width(node));
	put_number(out, "height", fork_height(graph, node));
	if (node->type == FORKS_TASK)
		put_task(out, export, node);
	fputs("</node>\n", out);
}

static void put_facts(FILE *out, const struct export *export, const struct forks *graph)
{
	for (uint32_t i = 0; i < export->n_facts; i++)
		fprintf(out,
			"<key id=\"g_%s\" for=\"graph\" attr.name=\"%s\" attr.type=\"string\"/>\n",
			export->fact[i].key, export->fact[i].key);
	fputs("<key id=\"g_tasks_contracted\" for=\"graph\" attr.name=\"tasks_contracted\" "
	      "attr.type=\"long\"/>\n<graph id=\"G\" edgedefault=\"directed\">\n",
	      out);
	for (uint32_t i = 0; i < export->n_facts; i++) {
		fprintf(out, "<data key=\"g_%s\">", export->fact[i].key);
		text_xml(out, export->fact[i].value);
		fputs("</data>\n", out);
	}
	fprintf(out, "<data key=\"g_tasks_contracted\">%" PRIu64 "</data>\n", graph->n_contracted);
}

static void write_graphml(const struct export *export, FILE *out)
{
	AT_END(forks_free) struct forks graph;

	forks_build(&graph, export, export->cut.n_nodes);

	put_keys(out);
	put_facts(out, export, &graph);
	for (uint32_t n = 0; n < graph.n_nodes; n++)
		put_node(out, export, &graph, n);
	for (uint32_t e = 0; e < graph.n_edges; e++)
		fprintf(out,
			"<edge source=\"n%u\" target=\"n%u\"><data key=\"e_type\">%s</data>"
			"<data key=\"e_weight\">%" PRIu64 "</data></edge>\n",
			graph.edge[e].from, graph.edge[e].to, fork_edge_name[graph.edge[e].type],
			graph.edge[e].n);
	fputs("</graph>\n</graphml>\n", out);
}

const struct format format_graphml = {
	.name = "graphml",
	.suffix = ".graphml",
	.reader = "yEd, Cytoscape or igraph",
	.file = write_graphml,
};

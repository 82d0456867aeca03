/* SPDX-License-Identifier: MIT */
/* shorten.c - reads a demangled name from left to right, and leaves out what nobody wrote. */
#include "tools/names/shorten.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHORT 56u      /* bytes; a longer name loses arguments of its templates */
#define DEPTH_MOST 3   /* of templates in each other that are shown */
#define NESTED_MOST 64 /* names in names; more is shown as `..` */

struct writer {
	FILE *out;
	int depth; /* of templates that may still be shown */
	int nested;
};

static const struct {
	const char *name;
	int argument; /* that holds the user's code; -1: none */
	const char *algorithm;
} tasks[] = {
	{ "start_for", 1, "tbb::parallel_for" },
	{ "start_reduce", 1, "tbb::parallel_reduce" },
	{ "start_deterministic_reduce", 1, "tbb::parallel_deterministic_reduce" },
	{ "start_scan", 1, "tbb::parallel_scan" },
	{ "finish_scan", 1, "tbb::parallel_scan" },
	{ "sum_node", 1, "tbb::parallel_scan" },
	{ "final_sum", 1, "tbb::parallel_scan" },
	{ "parallel_for_body_wrapper", 0, "tbb::parallel_for" },
	{ "lambda_reduce_body", 2, "tbb::parallel_reduce" },
	{ "lambda_scan_body", 2, "tbb::parallel_scan" },
	{ "for_each_root_task", 1, "tbb::parallel_for_each" },
	{ "for_each_iteration_task", 1, "tbb::parallel_for_each" },
	{ "input_block_handling_task", 0, "tbb::parallel_for_each" },
	{ "forward_block_handling_task", 1, "tbb::parallel_for_each" },
	{ "feeder_item_task", 0, "tbb::parallel_for_each" },
	{ "parallel_for_each_operator_selector", 0, "tbb::parallel_for_each" },
	{ "function_invoker", 0, "tbb::parallel_invoke" },
	{ "invoke_subroot_task", 0, "tbb::parallel_invoke" },
	{ "function_task", 0, "tbb::task_group" },
	{ "function_stack_task", 0, "tbb::task_group" },
	{ "enqueue_task", 0, "tbb::task_arena" },
	{ "quick_sort_body", -1, "tbb::parallel_sort" },
	{ "quick_sort_pretest_body", -1, "tbb::parallel_sort" },
	{ "stage_task", -1, "tbb::parallel_pipeline" },
	{ "concrete_filter", 2, "tbb::parallel_pipeline" },
	{ "function_body_leaf", 2, "tbb::flow" },
	{ "multifunction_body_leaf", 2, "tbb::flow" },
	{ "input_body_leaf", 1, "tbb::flow" },
	{ "async_body", 3, "tbb::flow" },
	{ "apply_body_task_bypass", -1, "tbb::flow" },
	{ "forward_task_bypass", 0, "tbb::flow" },
	{ "buffer_node", -1, "tbb::flow::buffer_node" },
	{ "join_node_base", -1, "tbb::flow::join_node" },
	{ "limiter_node", -1, "tbb::flow::limiter_node" },
	{ "input_node_task_bypass", -1, "tbb::flow" },
	{ "priority_task_selector", -1, "tbb::flow" },
	/* libstdc++'s parallel algorithms, which make tasks of their own to sort and merge */
	{ "__func_task", 0, "std::sort" },
	{ "__root_task", 0, "std::sort" },
	{ "__stable_sort_func", -1, "std::sort" },
	{ "__merge_func", -1, "std::sort" },
	{ "__merge_func_static", -1, "std::merge" },
};

static int task_of(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		if (strlen(tasks[i].name) == length && !strncmp(tasks[i].name, name, length))
			return (int)i;
	return -1;
}

int shorten_code_argument(const char *name)
{
	int task = task_of(name, strcspn(name, "<"));

	return task < 0 ? -1 : tasks[task].argument;
}

bool shorten_is_outlined(const char *name)
{
	return strstr(name, "_omp_fn") || strstr(name, ".omp_") || strstr(name, ".omp.") ||
	       strncmp(name, "__omp_offloading_", 17) == 0;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* `operator` and what belongs to it, up to its arguments; 0: there is none. */
static size_t operator_length(const char *at)
{
	static const char word[] = "operator";
	size_t n = sizeof(word) - 1;

	if (strncmp(at, word, n) != 0 || is_word(at[n]))
		return 0;
	if (!strncmp(at + n, "()", 2) || !strncmp(at + n, "[]", 2))
		return n + 2;
	if (at[n] == ' ') /* of a conversion, new, delete */
		return strcspn(at, "(");
	n += strspn(at + n, "<>=!+-*/%^&|~,");
	return strncmp(at + n, " <", 2) ? n : n + 1;
}

/* Behind the bracket that closes the one at `at`; the end, if none does. */
static const char *behind(const char *at)
{
	int open = 0;

	for (const char *begin = at; *at; at++) {
		size_t n = at == begin || is_word(at[-1]) ? 0 : operator_length(at);

		if (n) {
			at += n - 1;
			continue;
		}
		if (*at == '-' && at[1] == '>') { /* decltype(..) of a trailing result */
			at++;
			continue;
		}
		if (*at == '<' && at > begin && at[-1] == ')') /* less than */
			continue;
		open += strchr("<({[", *at) != NULL;
		open -= strchr(">)}]", *at) != NULL;
		if (open == 0)
			return at + 1;
	}
	return at;
}

/* A copy without those parts that nobody writes. */
static char *plain_copy(const char *text)
{
	static const char *const parts[][2] = {
		{ "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
		  "std::string" },
		{ "std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
		  "std::string" },
		{ "std::__cxx11::", "std::" },
		{ "std::__1::", "std::" },
		{ "(anonymous namespace)::", "" },
		{ "tbb::detail::d0::", "tbb::" },
		{ "tbb::detail::d1::", "tbb::" },
		{ "tbb::detail::d2::", "tbb::" },
		{ "tbb::detail::r1::", "tbb::" },
		{ "[abi:cxx11]", "" },
	};
	char *copy = malloc(strlen(text) + 1), *to = copy;

	while (copy && *text) {
		size_t i = 0;

		while (i < sizeof(parts) / sizeof(parts[0]) &&
		       strncmp(text, parts[i][0], strlen(parts[i][0])) != 0)
			i++;
		if (i == sizeof(parts) / sizeof(parts[0])) {
			*to++ = *text++;
			continue;
		}
		text += strlen(parts[i][0]);
		to = stpcpy(to, parts[i][1]);
	}
	if (copy)
		*to = 0;
	return copy;
}

static void put_name(struct writer *writer, const char *at, const char *end, bool is_type);

/* The arguments between < and >. */
static void put_arguments(struct writer *writer, const char *at, const char *end)
{
	const char *begin = at;

	if (writer->depth == 0 || writer->nested == NESTED_MOST) {
		fputs("<..>", writer->out);
		return;
	}
	writer->depth--;
	writer->nested++;
	fputc('<', writer->out);
	while (at < end) {
		if (strchr("<({[", *at)) {
			at = behind(at);
		} else if (*at == ',') {
			put_name(writer, begin, at, true);
			fputs(", ", writer->out);
			at++;
			begin = *at == ' ' ? at + 1 : at;
		} else {
			at++;
		}
	}
	while (end > begin && end[-1] == ' ')
		end--;
	put_name(writer, begin, end, true);
	fputc('>', writer->out);
	writer->depth++;
	writer->nested--;
}

/* {lambda(int)#1}: without its arguments. */
static void put_braces(struct writer *writer, const char *at, const char *end)
{
	static const char lambda[] = "{lambda(";
	const char *number = end;

	while (number > at && *number != '#')
		number--;
	if (!strncmp(at, lambda, sizeof(lambda) - 1) && number > at)
		fprintf(writer->out, "{lambda %.*s", (int)(end - number), number);
	else
		fprintf(writer->out, "%.*s", (int)(end - at), at);
}

/* const, &, noexcept: behind the arguments of a function. */
static const char *behind_qualifiers(const char *at)
{
	static const char *const words[] = { " const", " volatile", " &&", " &", "&&", "&" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(at, words[i], strlen(words[i])))
			return behind_qualifiers(at + strlen(words[i]));
	return at;
}

/* The part of a function's demangled text that is its name: behind its result. */
static const char *behind_result(const char *at, const char *end)
{
	const char *name = at;

	while (at < end) {
		size_t n = at == name || !is_word(at[-1]) ? operator_length(at) : 0;

		if (n) {
			at += n;
		} else if (*at == '(') { /* arguments, or those of decltype() */
			const char *after = behind_qualifiers(behind(at));

			if (after >= end || *after == '[' || !strncmp(after, " [", 2))
				return name;
			at = after;
		} else if (strchr("<{[", *at)) {
			at = behind(at);
		} else {
			if (*at == ' ')
				name = at + 1;
			at++;
		}
	}
	return name;
}

/* clang's unnamed class of a lambda, $_0. */
static size_t put_clang_lambda(struct writer *writer, const char *at)
{
	size_t n = 2 + strspn(at + 2, "0123456789");

	if (n > 2)
		fprintf(writer->out, "{lambda #%llu}", strtoull(at + 2, NULL, 10) + 1);
	else
		fputs("{lambda}", writer->out);
	return n;
}

/* One step of put_name(): where it goes on; NULL: the name ends here. */
static const char *put_step(struct writer *writer, const char *at, const char *end, bool is_type)
{
	static const char call[] = "::operator()";
	size_t n = operator_length(at);

	if (!strncmp(at, "$_", 2))
		return at + put_clang_lambda(writer, at);
	if (n) {
		fprintf(writer->out, "%.*s", (int)n, at);
		return at + n;
	}
	if (*at == '<') {
		const char *after = behind(at);

		put_arguments(writer, at + 1, after < end ? after - 1 : end - 1);
		return after;
	}
	if (*at == '{') {
		const char *after = behind(at);

		put_braces(writer, at, after < end ? after : end);
		return strncmp(after, call, sizeof(call) - 1) ? after : NULL;
	}
	if (*at == '(') {
		const char *after = behind_qualifiers(behind(at));

		if (is_type || !strncmp(after, "::", 2))
			fputs("()", writer->out);
		return is_type || !strncmp(after, "::", 2) ? after : NULL;
	}
	if (*at == '[' || (*at == ' ' && !is_type))
		return NULL;
	fputc(*at, writer->out);
	return at + 1;
}

static void put_name(struct writer *writer, const char *at, const char *end, bool is_type)
{
	static const char call[] = "::operator()";

	if (!is_type)
		at = behind_result(at, end);
	while (at && at < end) {
		const char *before = at;

		at = put_step(writer, at, end, is_type);
		if (at && !strncmp(before, "$_", 2) && !strncmp(at, call, sizeof(call) - 1))
			return;
	}
}

/* What a compiler appends to the name in C: everything from the first dot on. */
static size_t without_suffix(const char *name)
{
	size_t n = strlen(name);

	return strpbrk(name, " <({:") ? n : *name == '.' ? n : strcspn(name, ".");
}

static char *shorten(const char *demangled, bool is_type)
{
	char *plain = plain_copy(demangled), *text = NULL;
	size_t n = 0;

	for (int depth = DEPTH_MOST; plain && depth >= 0; depth--) {
		struct writer writer = { .out = open_memstream(&text, &n), .depth = depth };

		if (!writer.out)
			break;
		put_name(&writer, plain, plain + without_suffix(plain), is_type);
		if (fclose(writer.out) != 0 || n <= SHORT || depth == 0)
			break;
		free(text);
		text = NULL;
	}
	if (text && !*text) { /* nothing of it was understood */
		free(text);
		text = strdup(demangled);
	}
	free(plain);
	return text;
}

char *shorten_function(const char *demangled)
{
	return shorten(demangled, false);
}

char *shorten_type(const char *demangled)
{
	return shorten(demangled, true);
}

/* The n-th argument of the template, which begins behind <; its end.  NULL: it has none. */
static const char *argument(const char *at, int n, const char **end)
{
	const char *begin = at;

	while (*at) {
		if (strchr("<({[", *at)) {
			at = behind(at);
			continue;
		}
		if ((*at == ',' || *at == '>') && n-- == 0) {
			*end = at;
			return begin;
		}
		if (*at == '>')
			return NULL;
		if (*at++ == ',')
			begin = *at == ' ' ? at + 1 : at;
	}
	return NULL;
}

/* Whether it is a class of the libraries, or no class at all. */
static bool is_nobodys(const char *type)
{
	static const char *const spaces[] = { "tbb::", "std::", "__gnu_cxx::", "__pstl::" };
	static const char *const words[] = { "void", "bool",   "char",	"short",  "int",
					     "long", "signed", "float", "double", "unsigned" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(type, words[i], strlen(words[i])) && !is_word(type[strlen(words[i])]))
			return true;
	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		if (!strncmp(type, spaces[i], strlen(spaces[i])))
			return true;
	return strchr(")*", type[strlen(type) - 1]) != NULL;
}

/* The task's number in the table; -1: it is no such class. */
static int task_of_type(const char *type)
{
	const char *end = type + strcspn(type, "<"), *name = end;

	while (name > type && is_word(name[-1]))
		name--;
	return strncmp(type, "tbb::", 5) && strncmp(type, "__pstl::", 8)
		       ? -1
		       : task_of(name, (size_t)(end - name));
}

/* Of the arguments from the n-th on the first that is the user's, or one of the table's. */
static char *code_argument(const char *at, int n)
{
	const char *begin, *end;
	char *type = NULL;

	while (!type && (begin = argument(at, n++, &end))) {
		while (end > begin && end[-1] == ' ')
			end--;
		type = strndup(begin, (size_t)(end - begin));
		if (type && (!*type || (is_nobodys(type) && task_of_type(type) < 0))) {
			free(type);
			type = NULL;
		}
	}
	return type;
}

char *shorten_task(const char *demangled)
{
	char *type = plain_copy(demangled), *found = NULL;
	const char *algorithm = NULL;

	while (type) {
		int task = task_of_type(type);
		const char *open = strchr(type, '<');
		char *inner = NULL;

		if (task < 0) {
			found = algorithm ? shorten_type(type) : NULL;
			break;
		}
		if (!algorithm || tasks[task].argument < 0)
			algorithm = tasks[task].algorithm;
		if (open && tasks[task].argument >= 0)
			inner = code_argument(open + 1, tasks[task].argument);
		free(type);
		type = inner;
	}
	free(type);
	return found || !algorithm ? found : strdup(algorithm);
}

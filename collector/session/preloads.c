/* SPDX-License-Identifier: MIT */
/* preloads.c - finds the names of our libraries in a list, and copies the rest of it. */
#include "collector/session/preloads.h"

#include <stddef.h>
#include <string.h>

#define SEPARATORS ": "
#define SHIM "libtpshim_"

/* The name of a file, without its directory, in a list. */
struct name {
	const char *at;
	size_t bytes;
};

/* The first that is at `list` or behind it; `at` is NULL at the end. */
static struct name name_at(const char *list, const char **behind)
{
	const char *path = list + strspn(list, SEPARATORS);
	size_t bytes = strcspn(path, SEPARATORS);
	const char *slash = memrchr(path, '/', bytes), *file = slash ? slash + 1 : path;

	*behind = path + bytes;
	return (struct name){ bytes ? file : NULL, bytes - (size_t)(file - path) };
}

static bool name_begins(struct name name, const char *text)
{
	return name.bytes >= strlen(text) && memcmp(name.at, text, strlen(text)) == 0;
}

static bool name_is(struct name name, const char *file)
{
	return name.bytes == strlen(file) && name_begins(name, file);
}

static bool is_ours(struct name name)
{
	return name_begins(name, "libtptrace.so") || name_begins(name, SHIM) ||
	       name_begins(name, "libtpprobe_");
}

static bool is_in_all(struct name name)
{
	return name_begins(name, SHIM) && !name_is(name, PRELOADS_ALL) &&
	       !name_is(name, "libtpshim_mthdl.so") && !name_is(name, "libtpshim_device.so");
}

/* Whether a library of ours is there again, or in the one of all. */
static bool is_twice(const char *list, struct name name)
{
	const char *at = list;

	if (!is_ours(name))
		return false;
	for (struct name other = name_at(at, &at); other.at; other = name_at(at, &at))
		if ((other.at < name.at && other.bytes == name.bytes &&
		     memcmp(other.at, name.at, name.bytes) == 0) ||
		    (name_is(other, PRELOADS_ALL) && is_in_all(name)))
			return true;
	return false;
}

bool preloads_has_ours(const char *list)
{
	for (struct name name = name_at(list, &list); name.at; name = name_at(list, &list))
		if (is_ours(name))
			return true;
	return false;
}

bool preloads_has_twice(const char *list)
{
	const char *at = list;

	for (struct name name = name_at(at, &at); name.at; name = name_at(at, &at))
		if (is_twice(list, name))
			return true;
	return false;
}

bool preloads_has(const char *list, const char *file)
{
	for (struct name name = name_at(list, &list); name.at; name = name_at(list, &list))
		if (name_is(name, file))
			return true;
	return false;
}

char *preloads_copy(char *to, const char *list, enum preloads_kept kept)
{
	const char *at = list;
	char *from = to;

	for (struct name name = name_at(at, &at); name.at; name = name_at(at, &at)) {
		const char *path = name.at;

		if (kept == PRELOADS_ONCE ? is_twice(list, name) : is_ours(name))
			continue;
		while (path > list && !strchr(SEPARATORS, path[-1]))
			path--;
		if (to != from)
			*to++ = ':';
		memcpy(to, path, (size_t)(at - path));
		to += at - path;
	}
	return to;
}

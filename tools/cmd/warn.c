/* SPDX-License-Identifier: MIT */
/* warn.c - says what has changed or is missing. */
#include "tools/cmd/warn.h"

#include <errno.h>

#include "tools/base/say.h"

static void warn_changed(const struct sites *sites)
{
	const char *path;
	struct err err;

	for (uint32_t i = 0; (path = sites_changed(sites, i)); i++) {
		err_set(&err, ESTALE, "%s has changed since the recording; %s", path,
			sites->kept ? "names are those kept in the trace"
				    : "its names are not shown");
		say_fail(&err);
	}
}

bool warn_of(const struct run *run)
{
	const struct reader_facts *facts = reader_facts(run->reader);

	warn_changed(&run->sites);
	if (facts->missing[0])
		say_warn("%s: %s", facts->path, facts->missing);
	return facts->torn && !facts->cut;
}

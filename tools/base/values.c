/* SPDX-License-Identifier: MIT */
/* values.c - reads values of options. */
#include "tools/base/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/base/folder.h"
#include "tools/base/pager.h"

bool value_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} unit[] = { { "s", 1e9 }, { "", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
	char *end;
	double value = strtod(text, &end);

	if (end == text || !(value >= 0))
		return false;
	for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
		if (strcmp(end, unit[i].name) == 0 && value * unit[i].ns < 1e18) {
			*ns = (uint64_t)(value * unit[i].ns + 0.5);
			return true;
		}
	return false;
}

bool value_is_output(const char *text)
{
	size_t n = strlen(text);

	if ((n && text[n - 1] == '/') || is_folder(text))
		return true; /* stands for itself */
	for (; (text = strchr(text, '%')) && text[1]; text += 2)
		if (!strchr("ephjrt%", text[1]))
			return false;
	return true;
}

bool value_wants_bold(const char *when)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

	if (strcmp(when, "auto") != 0)
		return strcmp(when, "always") == 0;
	return isatty(pager_terminal()) && !(no_color && *no_color) && term &&
	       strcmp(term, "dumb") != 0;
}

unsigned value_width(unsigned least, unsigned most, unsigned else_)
{
	const char *columns = getenv("COLUMNS");
	unsigned long said = columns ? strtoul(columns, NULL, 10) : 0;
	struct winsize size;

	if (said == 0 && ioctl(pager_terminal(), TIOCGWINSZ, &size) == 0)
		said = size.ws_col;
	if (said == 0)
		return else_;
	return said < least ? least : said < most ? (unsigned)said : most;
}

bool value_is_time(const char *text)
{
	uint64_t ns;

	return value_time(text, &ns);
}

bool value_is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

uint32_t value_number(const char *text)
{
	unsigned long n = strtoul(text, NULL, 10);

	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

bool value_is_percent(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end != text && *end == '%')
		end++;
	return end != text && *end == 0 && value >= 0 && isfinite(value);
}

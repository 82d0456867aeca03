/* SPDX-License-Identifier: MIT */
/* page.c - has the page that make put together (view.mk) in the program. */
#include "tools/view/page.h"

#include <string.h>

#define FETCHES_HERE "FETCHES"
#define REPORT_HERE "<!--report-->\n"
#define SIDES_HERE "<!--sides-->\n"
#define JOB_HERE "<!--job-->\n"
#define DATA_HERE "<!--data-->\n"

__asm__(".pushsection .rodata\n"
	"page_begin: .incbin \"page.html\"\n"
	"page_end: .byte 0\n"
	".popsection\n");
extern const char page_begin[] __attribute__((visibility("hidden")));
extern const char page_end[] __attribute__((visibility("hidden")));

static void put(FILE *out, const char *from, const char *to)
{
	fwrite(from, 1, (size_t)(to - from), out);
}

/* What stands behind a mark. */
static const char *behind(const char *mark)
{
	return strstr(page_begin, mark) + strlen(mark);
}

void page_put_head(FILE *out, bool fetches)
{
	put(out, page_begin, strstr(page_begin, FETCHES_HERE));
	fputs(fetches ? "'self'" : "'none'", out);
	put(out, behind(FETCHES_HERE), strstr(page_begin, REPORT_HERE));
}

void page_put_script(FILE *out, enum page_of of)
{
	put(out, behind(REPORT_HERE), strstr(page_begin, SIDES_HERE));
	if (of == PAGE_OF_RUNS)
		put(out, behind(SIDES_HERE), strstr(page_begin, JOB_HERE));
	if (of == PAGE_OF_JOB)
		put(out, behind(JOB_HERE), strstr(page_begin, DATA_HERE));
}

void page_put_tail(FILE *out)
{
	put(out, behind(DATA_HERE), page_end);
}

uint64_t page_bytes(void)
{
	return (uint64_t)(page_end - page_begin);
}

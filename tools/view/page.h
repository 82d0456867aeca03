/* SPDX-License-Identifier: MIT */
/* page.h - the page without its data: what make puts together of tools/view/page. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Up to where the report is; `fetches`: the page may ask where it was read for more; */
void page_put_head(FILE *out, bool fetches);
/* from there to where the columns are, with the script that such a page has besides; */
enum page_of { PAGE_OF_RUN, PAGE_OF_RUNS, PAGE_OF_JOB };
void page_put_script(FILE *out, enum page_of of);
void page_put_tail(FILE *out); /* and the rest */
uint64_t page_bytes(void);     /* of all of it */

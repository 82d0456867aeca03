/* SPDX-License-Identifier: MIT */
/* page.h - the page without its data: what make puts together of tools/view/page. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Up to where the report is; `fetches`: the page may ask where it was read for more; */
void page_put_head(FILE *out, bool fetches);
/* from there to where the columns are, with the script of several runs or without; */
void page_put_script(FILE *out, bool several);
void page_put_tail(FILE *out); /* and the rest */

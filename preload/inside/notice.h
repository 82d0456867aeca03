/* SPDX-License-Identifier: MIT */
/*
 * notice.h - that this process has no trace is said once: by record, or here.
 *
 * record knows of the processes that its collector saw.  One that collects by itself lets it know
 * of its trace (launched.h); or says that it has none, where the record that began it has no
 * collector.
 */
#pragma once

#include <stdbool.h>

/* There is a trace, or a line says why not.  Any thread, one at a time. */
void notice_given(void);

/* On a thread that ends the process, which has neither; `filtered`: on one that would begin the
 * session, and may open no file. */
void notice_absent(bool filtered);

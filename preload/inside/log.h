/* SPDX-License-Identifier: MIT */
/*
 * log.h - in the traced process: writes tptrace's messages to the user.
 *
 * The line goes to standard error, as long as number 2 is the file that it was when the process
 * began: a file that the program opened in its place is the program's alone.
 */
#pragma once

/*
 * Says a line, without its end; it is cut to 600 bytes, and what no terminal should get is
 * replaced. Any thread; not on the small stack of a task.  A line that cannot be written, or not
 * within a second, is dropped: nobody reads it, and the program waits for the thread that writes
 * it.
 */
void log_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

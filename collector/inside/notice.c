/* SPDX-License-Identifier: MIT */
/* notice.c - who launched the process, and whether it is to be told. */
#include "collector/inside/notice.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collector/inside/voice.h"
#include "preload/session/launched.h"

static struct {
	char *byte; /* kept: later there may be no descriptor left */
	bool given;
} notice;

void notice_begin(void)
{
	if (!notice.byte)
		notice.byte = launched_byte_by(getenv(LAUNCHED_VARIABLE));
	notice.given = false;
}

void notice_given(void)
{
	if (!notice.given)
		launched_tick(notice.byte);
	notice.given = true;
}

void notice_absent(void)
{
	const char *launched = getenv(LAUNCHED_VARIABLE);
	struct rusage children = { 0 };

	if (!launched || strchr(launched, ' ')) /* record tells, who knows of all processes */
		return;
	getrusage(RUSAGE_CHILDREN, &children); /* they may have had tasks */
	if (strtol(launched, NULL, 10) == (long)getpid() && children.ru_maxrss == 0)
		voice_say(
			"tptrace: no task of a runtime that tptrace knows was created; nothing is "
			"recorded (see `tptrace record --help`)");
}

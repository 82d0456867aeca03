/* SPDX-License-Identifier: MIT */
/*
 * loader.h - which loader starts a program, and so whether the recorder's libraries fit into it.
 *
 * Any thread, signal handlers and children of vfork() too: no memory is allocated.
 */
#pragma once

enum loader {
	LOADER_FITS,	/* or nothing speaks against it: no program, or one that cannot be read */
	LOADER_NONE,	/* the program is statically linked: nothing is preloaded */
	LOADER_MUSL,	/* ends the program, as it does not have what libraries of glibc ask for */
	LOADER_FOREIGN, /* of another machine than ours: leaves them out with a line for each */
};

/* Of the executable that is open there; its offset stays. */
enum loader loader_of(int fd);

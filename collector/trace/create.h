/* SPDX-License-Identifier: MIT */
/*
 * create.h - makes a new file where nobody else had a hand in it.
 *
 * In a folder in which everybody may write (/tmp), what another user made, be it a link or a
 * folder, is not gone through; the file itself is always new, and no link in its place is
 * followed.
 */
#pragma once

#include <sys/types.h>

/* No errno of the kernel's: another user's link or folder is in the way. */
#define CREATE_PLANTED 4096

/* The mode of new files, which the umask further limits: 0666 if this was not called.  In a
 * constructor. */
void create_allow(mode_t mode);

/* A descriptor for reading and writing, close-on-exec; or -errno, or -CREATE_PLANTED.  Any thread.
 */
int create_file(const char *path);

/* The same in two steps: a file in the folder of that path, that has no name yet (not every file
 * system has such: -EOPNOTSUPP or the like); and its name, -EEXIST if that is taken. */
int create_nameless(const char *path);
int create_name(int fd, const char *path);

/* Another name, which nothing has, for a file of ours in that folder: likewise. */
int create_moved(const char *from, const char *path);

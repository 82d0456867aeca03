/* SPDX-License-Identifier: MIT */
/*
 * create.h - makes a new file where nobody else had a hand in it.
 *
 * In a folder in which everybody may write (/tmp), what another user made, be it a link or a
 * folder, is not gone through; the file itself is always new, and no link in its place is
 * followed.
 */
#pragma once

/* A descriptor for writing, mode 0666 by the umask, close-on-exec; or -errno.  -EPERM if another
 * user's link or folder is in the way.  Any thread. */
int create_file(const char *path);

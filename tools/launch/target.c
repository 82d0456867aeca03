/* SPDX-License-Identifier: MIT */
/* target.c - finds the program, and reads its header, its mode and its capabilities. */
#include "tools/launch/target.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "collector/session/loader.h"

bool target_find(const char *name, char *out, size_t room)
{
	const char *path = getenv("PATH");
	struct stat st;

	if (strchr(name, '/')) {
		snprintf(out, room, "%s", name);
		return access(out, F_OK) == 0;
	}
	if (!path)
		path = "/usr/local/bin:/bin:/usr/bin";
	while (*path) {
		size_t n = strcspn(path, ":");

		snprintf(out, room, "%.*s%s%s", (int)n, path, n ? "/" : "", name);
		if (access(out, X_OK) == 0 && stat(out, &st) == 0 && S_ISREG(st.st_mode))
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

/* Why the program's loader cannot have ours; NULL if it can. */
static const char *why_loader(int fd)
{
	switch (loader_of(fd)) {
	case LOADER_NONE:
		return "is statically linked: nothing can be preloaded into it; link its "
		       "runtime as a shared library";
	case LOADER_MUSL:
		return "is linked with musl: only programs of glibc can be recorded";
	case LOADER_FOREIGN:
		return "is built for another machine than this tptrace";
	default:
		return NULL;
	}
}

/* Whether file capabilities turn the loader's secure mode on: cap_bprm_creds_from_file(). */
static bool gains_capabilities(const char *path)
{
	struct vfs_ns_cap_data cap = { 0 };
	ssize_t n = getxattr(path, "security.capability", &cap, sizeof(cap));

	if (n < 0 && errno != ERANGE)
		return false;
	if (n < (ssize_t)XATTR_CAPS_SZ_1 || getuid() == 0)
		return n < 0;
	return le32toh(cap.magic_etc) & VFS_CAP_FLAGS_EFFECTIVE || cap.data[0].permitted ||
	       (n > (ssize_t)XATTR_CAPS_SZ_1 && cap.data[1].permitted);
}

/*
 * Why the loader will ignore LD_PRELOAD, in its secure mode; NULL if it will not.  The kernel turns
 * that on when the user or group changes, and not for the mere bit: one's own setuid program is as
 * any other, and so is one of a file system without setuid, or where privileges are given up.
 */
static const char *why_secure(const char *path, const struct stat *st)
{
	struct statvfs fs;

	if (statvfs(path, &fs) == 0 && fs.f_flag & ST_NOSUID)
		return NULL;
	if (gains_capabilities(path))
		return "has file capabilities: the loader ignores LD_PRELOAD for it";
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return NULL;
	if (st->st_mode & S_ISUID && st->st_uid != getuid())
		return "is setuid to another user: the loader ignores LD_PRELOAD for it; let it "
		       "run `tptrace record`, or record as that user";
	if ((st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st->st_gid != getgid())
		return "is setgid to another group: the loader ignores LD_PRELOAD for it";
	return NULL;
}

const char *target_why_not(const char *path)
{
	const char *why = NULL;
	char magic[SELFMAG];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool read_it = fd >= 0 && read(fd, magic, sizeof(magic)) == sizeof(magic);
	bool is_elf = read_it && memcmp(magic, ELFMAG, SELFMAG) == 0;

	/* of a script, the kernel ignores such bits */
	if ((is_elf || !read_it) && stat(path, &st) == 0)
		why = why_secure(path, &st);
	if (!why && is_elf)
		why = why_loader(fd);
	if (fd >= 0)
		close(fd);
	return why;
}

/* Whether a section of that file, of what the loader is told, has a library of such a name. */
static bool has_library(Elf *elf, Elf_Scn *section, const char *library)
{
	GElf_Shdr header;
	GElf_Dyn dynamic;
	Elf_Data *data;

	if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC)
		return false;
	data = elf_getdata(section, NULL);
	for (int i = 0; data && gelf_getdyn(data, i, &dynamic); i++) {
		const char *name = dynamic.d_tag == DT_NEEDED
					   ? elf_strptr(elf, header.sh_link, dynamic.d_un.d_val)
					   : NULL;

		if (name && strncmp(name, library, strlen(library)) == 0)
			return true;
	}
	return false;
}

bool target_is_linked(const char *path, const char *library)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	Elf *elf = NULL;
	bool is = false;

	elf_version(EV_CURRENT);
	if (fd >= 0)
		elf = elf_begin(fd, ELF_C_READ, NULL);
	for (Elf_Scn *section = NULL; !is && (section = elf_nextscn(elf, section));)
		is = has_library(elf, section, library);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return is;
}

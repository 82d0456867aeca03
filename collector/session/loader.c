/* SPDX-License-Identifier: MIT */
/* loader.c - reads the machine and the loader that an executable names. */
#include "collector/session/loader.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* our own, from the linker: /proc may not be mounted */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* A bare call: pread() is a point where the thread may be cancelled. */
static ssize_t loader_read(int fd, void *out, size_t bytes, uint64_t offset)
{
	return syscall(SYS_pread64, fd, out, bytes, offset);
}

static enum loader loader_named(int fd, uint64_t offset)
{
	char name[64];
	ssize_t n = loader_read(fd, name, sizeof(name) - 1, offset);

	name[n > 0 ? n : 0] = 0;
	/* our libraries are linked with glibc: musl's loader ends a program that preloads them */
	return strstr(name, "/ld-musl-") ? LOADER_MUSL : LOADER_FITS;
}

enum loader loader_of(int fd)
{
	ElfW(Ehdr) header;
	ElfW(Phdr) phdr;

	if (loader_read(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return LOADER_FITS;
	/* ld.so says so for each of our libraries and each such program, which helps nobody */
	if (header.e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
	    header.e_machine != __ehdr_start.e_machine)
		return LOADER_FOREIGN;
	for (int i = 0; i < header.e_phnum; i++) {
		uint64_t at = header.e_phoff + (uint64_t)i * header.e_phentsize;

		if (loader_read(fd, &phdr, sizeof(phdr), at) != sizeof(phdr))
			return LOADER_FITS;
		if (phdr.p_type == PT_INTERP)
			return loader_named(fd, phdr.p_offset);
	}
	return LOADER_NONE;
}

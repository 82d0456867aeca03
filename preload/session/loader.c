/* SPDX-License-Identifier: MIT */
/* loader.c - reads the machine and the loader that an executable names. */
#include "preload/session/loader.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* our own, from the linker: /proc may not be mounted */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static enum loader loader_named(int fd, const ElfW(Phdr) * phdr)
{
	char name[64];
	ssize_t n = pread(fd, name, sizeof(name) - 1, (off_t)phdr->p_offset);

	name[n > 0 ? n : 0] = 0;
	return strstr(name, "/ld-musl-") ? LOADER_MUSL : LOADER_FITS;
}

enum loader loader_of(int fd)
{
	ElfW(Ehdr) header;
	ElfW(Phdr) phdr;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return LOADER_FITS;
	if (header.e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
	    header.e_machine != __ehdr_start.e_machine)
		return LOADER_FOREIGN;
	for (int i = 0; i < header.e_phnum; i++) {
		off_t at = (off_t)(header.e_phoff + (uint64_t)i * header.e_phentsize);

		if (pread(fd, &phdr, sizeof(phdr), at) != sizeof(phdr))
			return LOADER_FITS;
		if (phdr.p_type == PT_INTERP)
			return loader_named(fd, &phdr);
	}
	return LOADER_NONE;
}

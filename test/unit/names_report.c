/* SPDX-License-Identifier: MIT */
/*
 * names_report.c - what names_test's programs say about themselves, as a recorder would write it:
 *
 *	at LABEL ADDRESS IS_RETURN_ADDRESS
 *	module START END BIAS BUILD-ID|- PATH
 */
#define _GNU_SOURCE 1 /* dl_iterate_phdr() */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void say(const char *label, const void *address, int is_return_address)
{
	printf("at %s %p %d\n", label, address, is_return_address);
}

static void print_build_id(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		const char *note = (const char *)(info->dlpi_addr + phdr->p_vaddr);
		const char *end = note + phdr->p_memsz;

		while (phdr->p_type == PT_NOTE && note + sizeof(ElfW(Nhdr)) <= end) {
			const ElfW(Nhdr) *head = (const void *)note;
			const char *body = note + sizeof(*head) + ((head->n_namesz + 3u) & ~3u);

			for (uint32_t k = 0; head->n_type == 3 && k < head->n_descsz; k++)
				printf("%02x", (unsigned char)body[k]);
			if (head->n_type == 3)
				return;
			note = body + ((head->n_descsz + 3u) & ~3u);
		}
	}
	printf("-");
}

static int print_module(struct dl_phdr_info *info, size_t n_bytes, void *data)
{
	uint64_t start = UINT64_MAX, end = 0;
	char exe[PATH_MAX] = "";

	(void)n_bytes, (void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uint64_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		start = at < start ? at : start;
		end = at + info->dlpi_phdr[i].p_memsz;
	}
	printf("module %#lx %#lx %#lx ", start, end, (uint64_t)info->dlpi_addr);
	print_build_id(info);
	if (!info->dlpi_name[0] && readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
		return 1;
	printf(" %s\n", info->dlpi_name[0] ? info->dlpi_name : exe);
	return 0;
}

void say_modules(void)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);

	if (vdso)
		say("vdso", dlsym(vdso, "__vdso_clock_gettime"), 0);
	dl_iterate_phdr(print_module, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * door.c - runs a task and waits for it, then prints whose code a call of each of some functions
 * ends up in: that of the library whose door the wrapper is, or where its door leads
 * (shims/common/door.h).  Exit status 77: there are no doors on this machine.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define JUMP_BYTES 6 /* jmp *offset(%rip) */

static const char *const names[] = { "GOMP_task", "GOMP_taskwait", "GOMP_barrier" };

static const void *leads_to(const unsigned char *wrapper)
{
	static const unsigned char landing[] = { 0xf3, 0x0f, 0x1e, 0xfa }, jump[] = { 0xff, 0x25 };
	const void *to;
	int32_t offset;

	if (memcmp(wrapper, landing, sizeof(landing)) == 0) /* endbr64, if compiled with it */
		wrapper += sizeof(landing);
	if (memcmp(wrapper, jump, sizeof(jump)) != 0)
		return wrapper;
	memcpy(&offset, wrapper + sizeof(jump), sizeof(offset));
	memcpy(&to, wrapper + JUMP_BYTES + offset, sizeof(to));
	return to;
}

int main(void)
{
#if defined(__x86_64__) && defined(__LP64__)
	int n = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(n)
		n++;
#pragma omp taskwait
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		Dl_info info = { 0 };
		const char *file;

		if (!dladdr(leads_to(dlsym(RTLD_DEFAULT, names[i])), &info))
			return 1;
		file = strrchr(info.dli_fname, '/');
		printf("%s%s", i ? " " : "", file ? file + 1 : info.dli_fname);
	}
	puts("");
	return n != 1;
#else
	return 77;
#endif
}

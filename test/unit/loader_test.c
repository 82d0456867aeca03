/* SPDX-License-Identifier: MIT */
/* loader_test.c - which loader an executable names, of headers made by hand; and what its program
 * inherits of LD_PRELOAD. */
#include "collector/session/loader.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/offspring.h"
#include "test/lib/test.h"

extern const ElfW(Ehdr) __ehdr_start;

struct program {
	ElfW(Ehdr) header;
	ElfW(Phdr) phdr[2];
	char loader[64];
};

static struct program linked_with(const char *loader)
{
	struct program p = { .header = __ehdr_start };

	p.header.e_phoff = offsetof(struct program, phdr);
	p.header.e_phentsize = sizeof(p.phdr[0]);
	p.header.e_phnum = loader ? 2 : 1;
	p.phdr[0].p_type = PT_LOAD;
	p.phdr[1].p_type = PT_INTERP;
	p.phdr[1].p_offset = offsetof(struct program, loader);
	if (loader)
		memcpy(p.loader, loader, strlen(loader) + 1);
	return p;
}

static int file_of(const struct program *program, size_t bytes)
{
	int fd = memfd_create("program", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, program, bytes), bytes);
	return fd;
}

static enum loader loader_in(const struct program *program, size_t bytes)
{
	int fd = file_of(program, bytes);
	enum loader loader = loader_of(fd);

	assert_int_equal(lseek(fd, 0, SEEK_CUR), bytes);
	close(fd);
	return loader;
}

TEST(test_loaders)
{
	const struct program ours = linked_with("/lib64/ld-linux-x86-64.so.2");
	const struct program musl = linked_with("/lib/ld-musl-x86_64.so.1");
	const struct program alone = linked_with(NULL);
	struct program other = ours;

	assert_int_equal(loader_in(&ours, sizeof(ours)), LOADER_FITS);
	assert_int_equal(loader_in(&musl, sizeof(musl)), LOADER_MUSL);
	assert_int_equal(loader_in(&alone, sizeof(alone)), LOADER_NONE);
	other.header.e_machine = EM_S390;
	assert_int_equal(loader_in(&other, sizeof(other)), LOADER_FOREIGN);
	other = ours;
	other.header.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(loader_in(&other, sizeof(other)), LOADER_FOREIGN);
}

/* Nothing speaks against what is no program, or not all of one. */
TEST(test_others)
{
	struct program musl = linked_with("/lib/ld-musl-x86_64.so.1");

	assert_int_equal(loader_in(&musl, 0), LOADER_FITS);
	assert_int_equal(loader_in(&musl, sizeof(musl.header) - 1), LOADER_FITS);
	assert_int_equal(loader_in(&musl, sizeof(musl.header)), LOADER_FITS);
	musl.phdr[1].p_offset = sizeof(musl);
	assert_int_equal(loader_in(&musl, sizeof(musl)), LOADER_FITS);
	musl.header.e_ident[0] = 'x';
	assert_int_equal(loader_in(&musl, sizeof(musl)), LOADER_FITS);
	assert_int_equal(loader_of(-1), LOADER_FITS);
}

static void check_inherits(const struct program *program, char *preload, const char *inherited)
{
	char *environment[] = { "A=1", preload, "B=2", NULL }, *room[32];
	int fd = file_of(program, sizeof(*program));
	enum preloads_kept kept;
	size_t n = offspring_words(fd, "", environment, &kept);
	char *const *left = n ? offspring_environment(environment, room, kept) : environment;

	assert_true(n < sizeof(room) / sizeof(room[0]));
	assert_string_equal(*left++, "A=1");
	if (*inherited)
		assert_string_equal(*left++, inherited);
	assert_string_equal(*left++, "B=2");
	assert_null(*left);
	close(fd);
}

/* A loader that cannot load our libraries gets none of them, and all others. */
TEST(test_inherits)
{
	const struct program ours = linked_with("/lib64/ld-linux-x86-64.so.2");
	const struct program musl = linked_with("/lib/ld-musl-x86_64.so.1");
	char all[] = "LD_PRELOAD=/l/libtpshim_omp.so:/l/libtpprobe_slow.so:other.so "
		     "/l/libtptrace.so:libtptrace_not.so";
	char probe[] = "LD_PRELOAD=libtpprobe_itt.so";
	char others[] = "LD_PRELOAD=/libtpshim_x/other.so";

	check_inherits(&ours, all, all);
	check_inherits(&musl, all, "LD_PRELOAD=other.so:libtptrace_not.so");
	check_inherits(&musl, probe, "");
	check_inherits(&musl, others, others);
}

/* Each function is taken once, whoever put the library there again. */
TEST(test_inherits_once)
{
	const struct program ours = linked_with("/lib64/ld-linux-x86-64.so.2");
	const struct program musl = linked_with("/lib/ld-musl-x86_64.so.1");
	char before[] = "LD_PRELOAD=/l/libtpshim_omp.so:other.so:/l/libtptrace.so:"
			"/l/libtpshim_all.so:/l/libtpshim_device.so";
	char paths[] =
		"LD_PRELOAD=/a/libtpshim_omp.so /b/libtpshim_omp.so:/b/libtpshim_tbb.so:o.so:o.so";
	char fine[] = "LD_PRELOAD=/l/libtptrace.so:/l/libtpshim_all.so:/l/libtpshim_mthdl.so";

	check_inherits(&ours, before,
		       "LD_PRELOAD=other.so:/l/libtptrace.so:/l/libtpshim_all.so:"
		       "/l/libtpshim_device.so");
	check_inherits(&ours, paths,
		       "LD_PRELOAD=/a/libtpshim_omp.so:/b/libtpshim_tbb.so:o.so:o.so");
	check_inherits(&ours, fine, fine);
	check_inherits(&musl, before, "LD_PRELOAD=other.so");
}

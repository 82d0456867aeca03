/* SPDX-License-Identifier: MIT */
/* names_test.c - names of a program's code by its debug information and its symbols. */
#include "test/unit/scene.h"

#include <limits.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Modules and answers, without any file. */
NAMES_TEST(test_modules)
{
	struct names *names;
	struct name name;

	assert_int_equal(names_open(&names), 0);
	assert_int_equal(names_module(names, 5, 5, 0, "x", ""), -EINVAL);
	assert_int_equal(names_module(names, 5, 6, 0, "x", "abc"), -EINVAL);
	assert_int_equal(names_module(names, 5, 6, 0, "x", "0g"), -EINVAL);
	assert_int_equal(names_module(names, 100, 200, 90, "/none/a", "ABCDEF00"), 0);
	name = names_of(names, 100, 0);
	assert_string_equal(name.module, "/none/a");
	assert_int_equal(name.offset, 10);
	assert_null(names_of(names, 99, 0).module);
	assert_null(names_of(names, 200, 0).module);
	assert_null(names_of(names, 100, 1).module);
	assert_int_equal(names_of(names, 200, 1).offset, 110);
	assert_null(names_of(names, 0, 1).module);
	assert_null(names_of(names, UINT64_MAX, 0).module);
	assert_string_equal(names_of(names, 155, 0).module, "/none/a");
	assert_int_equal(names_module(names, 150, 160, 0, "/none/b", ""), 0);
	assert_string_equal(names_of(names, 155, 0).module, "/none/b"); /* not the old answer */
	assert_string_equal(names_of(names, 160, 0).module, "/none/a");
	assert_int_equal(names_module(names, 150, 152, 0, "/none/c", ""), 0);
	assert_string_equal(names_of(names, 151, 0).module, "/none/c");
	assert_string_equal(names_of(names, 155, 0).module, "/none/b");
	assert_string_equal(names_in(names, 4, 155, 0).module, "/none/a"); /* the fourth call */
	assert_int_equal(names_in(names, 4, 155, 0).offset, 65);
	assert_string_equal(names_in(names, 5, 155, 0).module, "/none/b");
	assert_null(names_in(names, 6, 155, 0).module);
	assert_null(names_in(names, 1, 155, 0).module); /* which was none */
	assert_string_equal(names_of(names, 155, 0).module, "/none/b");
	for (uint64_t i = 1; i < 5000; i++)
		assert_int_equal(names_of(names, i, 0).offset,
				 i < 100 || i >= 200 || (i >= 150 && i < 160) ? i : i - 90);
	assert_null(names_stale(names, 0));
	names_free(names);
	names_free(NULL);
}

/* After the call comes inlined code, so that several rows stand at the address. */
static void expect_innermost(struct scene *scene)
{
	struct name name = names_of(scene->names, scene_spot(scene, "call")->address, 0);

	expect_text("after the call", name.function, "inlined");
	assert_int_equal(name.line, marked_line("src/names_program.c", "inlined"));
	expect_text("around it", name.around, "caller");
	assert_null(names_of(scene->names, scene_spot(scene, "caller")->address + 1, 0).around);
}

NAMES_TEST(test_debug_info)
{
	static const char *const flags[] = {
		"-g",
		"-g -O2",
		"-g -gdwarf-4 -O2",
		"-g -Os", /* functions follow one another without padding */
		"-g -no-pie",
		"-g -gz",
		"-g -gz=zlib-gnu",
		"-g -O2 -ffunction-sections -Wl,--gc-sections",
		"-g -fuse-ld=gold",
		"-g -gsplit-dwarf",
		"-g -gsplit-dwarf -O2 -ffunction-sections",
		"-g -gsplit-dwarf -gdwarf-4 -O2",
		"-g -gdwarf-3 -gstrict-dwarf -O2",
	};
	struct scene scene;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (strstr(flags[i], "gold") && !has_command("ld.gold"))
			continue;
		print_message("[ %s ]\n", flags[i]);
		build_c(flags[i]);
		shell("objcopy -w --strip-symbol='*' program"); /* so that DWARF must do */
		scene_run(&scene);
		scene_declare(&scene, 1);
		expect_all(&scene);
		expect_function(&scene, "cold", "parts");
		expect_line(&scene, "cold", "src/names_program.c", 0);
		expect_innermost(&scene);
		names_free(scene.names);
	}
}

NAMES_TEST(test_lto)
{
	struct scene scene;

	scene_of(&scene, "-g -flto -O1");
	expect_functions(&scene);
	expect_lines(&scene, "src/names_program.c");
	names_free(scene.names);
}

NAMES_TEST(test_absolute_path)
{
	char cwd[PATH_MAX], file[PATH_MAX + 32];
	struct scene scene;

	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(file, sizeof(file), "%s/names_program.c", cwd);
	shell("gcc -g -fopenmp $PWD/names_program.c names_report.o -o program -L. "
	      "-lnames_library -Wl,-rpath,$PWD -ldl");
	scene_run(&scene);
	scene_declare(&scene, 1);
	expect_line(&scene, "call", file, 0);
	names_free(scene.names);
	shell("gcc -fopenmp -g names_program.c names_report.o -o program -L. -lnames_library "
	      "-Wl,-rpath,$PWD -ldl");
	scene_run(&scene);
	scene_declare(&scene, 1);
	expect_line(&scene, "call", "names_program.c", 0);
	names_free(scene.names);
	scene_of(&scene, "-g -include $PWD/src/names_library.c");
	snprintf(file, sizeof(file), "%s/src/names_library.c", cwd);
	expect_line(&scene, "call", "src/names_program.c", 0);
	expect_line(&scene, "library_work", file, 1);
	names_free(scene.names);
}

NAMES_TEST(test_missing_dwo)
{
	struct scene scene;

	scene_of(&scene, "-g -gsplit-dwarf");
	shell("rm *.dwo");
	expect_functions(&scene); /* of .symtab */
	assert_int_equal(ask(&scene, "call").line, marked_line("src/names_program.c", "call"));
	names_free(scene.names);
}

NAMES_TEST(test_symtab_only)
{
	struct scene scene;

	scene_of(&scene, "-g0 -O2");
	expect_functions(&scene);
	expect_no_lines(&scene);
	names_free(scene.names);
}

/* The offset according to nm. */
static uint64_t nm_of(const char *symbol)
{
	char command[128];
	uint64_t value = 0;
	FILE *in;

	snprintf(command, sizeof(command), "nm program | grep ' %s$'", symbol);
	in = popen(command, "r");
	assert_non_null(in);
	assert_int_equal(fscanf(in, "%lx", &value), 1);
	pclose(in);
	return value;
}

/* How far into its function the i-th spot is; -1: that is not known. */
static int64_t depth_of(struct scene *scene, uint32_t i)
{
	const struct spot *spot = &scene->spot[i];
	struct name name = names_of(scene->names, spot->address, spot->is_return_address);

	return name.function_begin ? (int64_t)(spot->address - name.function_begin) : -1;
}

/* Nothing has a name, but what can be unwound says where its function begins. */
NAMES_TEST(test_stripped)
{
	static const char *const flags[] = { "-g", "-g -no-pie", "-O2 -g", "-O2 -g -no-pie" };
	struct scene scene;
	int64_t depth[SPOTS_MAX];
	uint64_t offset;

	for (int i = 0; i < 4; i++) {
		scene_of(&scene, flags[i]);
		for (uint32_t s = 0; s < scene.n_spots; s++)
			depth[s] = depth_of(&scene, s);
		names_free(scene.names);
		offset = nm_of("caller");
		shell("strip -s program");
		scene_run(&scene);
		scene_declare(&scene, 1);
		for (uint32_t s = 0; s < scene.n_spots; s++)
			assert_int_equal(depth_of(&scene, s), depth[s]);
		expect_nothing(&scene, "call");
		expect_nothing(&scene, "caller");
		assert_int_equal(ask(&scene, "caller").offset, offset);
		names_free(scene.names);
	}
}

NAMES_TEST(test_library)
{
	struct scene scene;

	scene_of(&scene, "-g0");
	expect_function(&scene, "library_work", "library_work");
	expect_function(&scene, "library_hidden_begin", "library_hidden");
	expect_line(&scene, "library_work", "src/names_library.c", 1);
	assert_string_equal(ask(&scene, "library_work").module,
			    scene_part(&scene, "/libnames_library.so")->path);
	names_free(scene.names);
}

/* In .dynsym alone there's no static function, and no other may stand in for it. */
NAMES_TEST(test_stripped_library)
{
	struct scene scene;

	shell("cp libnames_library.so whole.so && strip -s libnames_library.so");
	scene_of(&scene, "-g0");
	expect_function(&scene, "library_work", "library_work");
	expect_function(&scene, "library_hidden_begin", NULL);
	expect_function(&scene, "library_hidden", "library_work");
	expect_line(&scene, "library_work", NULL, 0);
	names_free(scene.names);
	shell("mv whole.so libnames_library.so");
}

NAMES_TEST(test_mini_debug)
{
	struct scene scene;

	if (!has_command("xz"))
		skip();
	build_c("-g");
	shell("objcopy -S program mini && nm program | awk '{print $NF}' >keep && "
	      "objcopy -S --keep-symbols=keep program mini && xz -f mini && "
	      "objcopy -S --add-section .gnu_debugdata=mini.xz program && ! nm program 2>&1 | "
	      "grep -q caller");
	scene_run(&scene);
	scene_declare(&scene, 1);
	expect_functions(&scene);
	expect_no_lines(&scene);
	names_free(scene.names);
}

static void expect_cxx(struct scene *scene)
{
	expect_function(scene, "twice", "shop::box<int>::twice");
	expect_line(scene, "twice", "src/names_cxx.c", 0);
	expect_line(scene, "hidden", "src/names_cxx.c", 0);
	expect_line(scene, "lambda", "src/names_cxx.c", 0);
	expect_line(scene, "main_lambda", "src/names_cxx.c", 0);
	expect_line(scene, "local", "src/names_cxx.c", 0);
}

/* gcc tells the linkage names of what is local to the file in .symtab alone. */
static void expect_cxx_local(struct scene *scene, int is_gcc, int has_symtab)
{
	int is_short = is_gcc && !has_symtab;

	expect_function(scene, "hidden",
			is_short ? "hidden" : "shop::hidden");
	expect_function(scene, "local", is_short ? "work" : "shop::tasks()::local::work");
	if (!is_gcc)
		return;
	expect_function(scene, "lambda",
			is_short ? "shop::tasks()::{lambda}" : "shop::tasks()::{lambda #1}");
	expect_function(scene, "main_lambda",
			is_short ? "main::{lambda}" : "main::{lambda #1}");
	expect_function(scene, "task", "shop::tasks");
	assert_int_equal(ask(scene, "task").line, marked_line("src/names_cxx.c", "cxx_task"));
}

/* An answer stays the same while others are added. */
static void expect_kept(struct scene *scene, const char *label)
{
	const char *function = ask(scene, label).function;

	for (uint64_t i = 1; i < 1000; i++)
		names_of(scene->names, i, 0);
	assert_ptr_equal(ask(scene, label).function, function);
}

NAMES_TEST(test_cxx)
{
	static const char *const compilers[] = { "g++ -fopenmp", "g++ -fopenmp -O2 -fno-ipa-cp",
						 "g++ -fopenmp -O1 -gsplit-dwarf", "clang++ -O2",
						 "clang++ -O0" };
	struct scene scene;

	for (int i = 0; i < 10; i++) {
		const char *compiler = compilers[i / 2];
		int is_gcc = compiler[0] == 'g';

		if (!has_command(is_gcc ? "g++" : "clang++"))
			continue;
		print_message("[ %s%s ]\n", compiler, i % 2 ? ", no symbols" : "");
		shell("%s -g -Wno-unknown-pragmas -x c++ src/names_cxx.c -x none names_report.o "
		      "-o program -ldl",
		      compiler);
		if (i % 2)
			shell("objcopy -w --strip-symbol='*' program");
		scene_run(&scene);
		scene_declare(&scene, 1);
		expect_cxx(&scene);
		expect_cxx_local(&scene, is_gcc, i % 2 == 0);
		expect_kept(&scene, "twice");
		names_free(scene.names);
	}
}

NAMES_TEST(test_fortran)
{
	struct names *names;
	struct name name;
	uint64_t at;

	if (!has_command("gfortran"))
		skip();
	shell("printf 'module m\ncontains\nsubroutine work(n)\ninteger :: n\nprint *, n\n"
	      "end subroutine\nend module\nuse m\ncall work(3)\nend\n' >program.f90 && "
	      "gfortran -g -no-pie program.f90 -o program");
	at = nm_of("__m_MOD_work");
	shell("objcopy -w --strip-symbol='*' program");
	assert_int_equal(names_open(&names), 0);
	assert_int_equal(names_module(names, 1, 1u << 30, 0, "program", ""), 0);
	name = names_of(names, at, 0);
	expect_text("fortran", name.function, "work");
	expect_text("fortran", name.file, "program.f90");
	assert_int_equal(name.line, 3);
	names_free(names);
}

/* Symbols that have no size, and a label within one that has. */
NAMES_TEST(test_assembler)
{
	static const char source[] = ".text\n.globl first, main, third\n"
				     "first: .byte 0, 0\n"
				     ".type main, %%function\n.type inner, %%function\n"
				     "main: .byte 0\nlabel: .byte 0, 0\n"
				     "inner: .byte 0, 0\n.size inner, . - inner\n"
				     ".byte 0\n.size main, . - main\n.byte 0\n"
				     "third: .byte 0, 0\n"
				     ".section .note.GNU-stack\n";
	static const char *const want[] = { "first", "first", "main", "main", "main",
					    "inner", "inner", "main", NULL,   "third" };
	struct names *names;
	uint64_t at;

	shell("printf '%s' >a.s && gcc -no-pie a.s -o program", source);
	at = nm_of("first");
	assert_int_equal(names_open(&names), 0);
	assert_int_equal(names_module(names, 1, 1u << 30, 0, "program", ""), 0);
	for (uint64_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		expect_text("assembler", names_of(names, at + i, 0).function, want[i]);
	assert_string_equal(names_of(names, at + 8, 1).function, "main");
	names_free(names);
}

NAMES_TEST(test_vdso)
{
	struct scene scene;

	scene_of(&scene, "-g0");
	if (!getauxval(AT_SYSINFO_EHDR)) { /* as under valgrind */
		names_free(scene.names);
		skip();
	}
	expect_function(&scene, "vdso", "clock_gettime");
	scene_declare(&scene, 0); /* could be another kernel's */
	expect_function(&scene, "vdso", NULL);
	names_free(scene.names);
}

/* Once answered, the file may go. */
NAMES_TEST(test_cached)
{
	struct scene scene;
	struct name first, again;

	build_c("-g");
	scene_run(&scene);
	scene_declare(&scene, 1);
	first = ask(&scene, "in_task");
	shell("rm program");
	again = ask(&scene, "in_task");
	assert_ptr_equal(first.function, again.function);
	assert_ptr_equal(first.file, again.file);
	expect_all(&scene);
	names_free(scene.names);
}

int main(void)
{
	return scene_all();
}

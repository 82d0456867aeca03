/* SPDX-License-Identifier: MIT */
/* names_cxx.c - names_program.c's C++ sister: built with -x c++. */
extern "C" {
void say(const char *label, const void *address, int is_return_address);
void say_modules(void);
void GOMP_task(void (*run)(void *), void *data, void (*copy)(void *, void *), long n_bytes,
	       long align, bool is_deferred, unsigned int flags, void **depend, int priority,
	       void *detach);
void GOMP_taskwait(void);
}

extern "C" void GOMP_task(void (*run)(void *), void *data, void (*)(void *, void *), long, long,
			  bool, unsigned int, void **, int, void *)
{
	say("task", (const void *)run, 0);
	run(data);
}

extern "C" void GOMP_taskwait(void)
{
}

static void __attribute__((noinline)) leaf(const char *label)
{
	say(label, __builtin_return_address(0), 1);
}

namespace shop
{
template <class T> struct box {
	T held;
	T __attribute__((noinline)) twice(T more)
	{
		leaf("twice"); /* @twice */
		return held + held + more;
	}
};

namespace
{
void __attribute__((noinline)) hidden(int n)
{
	leaf(n ? "hidden" : ""); /* @hidden */
	__asm__ volatile("");
}
} // namespace

int tasks(int n)
{
	class local
	{
	      public:
		static void __attribute__((noinline)) work()
		{
			leaf("local"); /* @local */
			__asm__ volatile("");
		}
	};
	auto lambda = [n](int m) __attribute__((noinline))
	{
		leaf(n ? "lambda" : ""); /* @lambda */
		return n + m;
	};
#pragma omp task shared(n) /* @cxx_task */
	n += lambda(2);
#pragma omp taskwait
	local::work();
	return n;
}
} // namespace shop

int main()
{
	shop::box<int> box = { 1 };
	auto lambda = [](int m) __attribute__((noinline))
	{
		leaf(m ? "main_lambda" : ""); /* @main_lambda */
		__asm__ volatile("");
	};

	lambda(1);
	shop::hidden(box.twice(shop::tasks(1)));
	say_modules();
	return 0;
}

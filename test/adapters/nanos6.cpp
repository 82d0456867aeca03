/* SPDX-License-Identifier: MIT */
/*
 * nanos6.cpp - tasks of Nanos6, as its compiler writes them: a Cholesky factorization of 12 x 12
 * tiles that only spins; commutative and concurrent accesses; if(0), nesting, a mutex, a task that
 * blocks.
 */
#include <atomic>
#include <cstdio>

#include <nanos6.h>
#include <nanos6/api-check.h>

static const int N = 12;
static char tile[N][N];
static std::atomic<long> sum;
static void *mutex, *blocked;

struct args {
	char *reads[2], *writes;
	void (*registers)(args *, void *);
	void (*code)();
};

static void spin()
{
	for (int i = 0; i < 20000; i++)
		sum++;
}

static void registers(void *block, void *, void *handler)
{
	args *a = (args *)block;

	for (char *read : a->reads)
		if (read)
			nanos6_register_region_read_depinfo1(handler, 0, "", read, 1, 0, 1);
	a->registers(a, handler);
}

static void inout(args *a, void *handler)
{
	if (a->writes)
		nanos6_register_region_readwrite_depinfo1(handler, 1, "", a->writes, 1, 0, 1);
}

static void commutative(args *a, void *handler)
{
	nanos6_register_region_commutative_depinfo1(handler, 1, "", a->writes, 1, 0, 1);
}

static void concurrent(args *a, void *handler)
{
	nanos6_register_region_concurrent_depinfo1(handler, 1, "", a->writes, 1, 0, 1);
}

static void run(void *block, void *, nanos6_address_translation_entry_t *)
{
	((args *)block)->code();
}

/* A type of task has one site. */
struct type {
	nanos6_task_implementation_info_t code = {};
	nanos6_task_info_t info = {};
	nanos6_task_invocation_info_t site = { "nanos6.cpp" };

	explicit type(const char *label)
	{
		code.run = run;
		code.task_type_label = label;
		code.declaration_source = "nanos6.cpp:1:1";
		info.num_symbols = 2;
		info.register_depinfo = registers;
		info.implementation_count = 1;
		info.implementations = &code;
		nanos6_register_task_info(&info);
	}
	void operator()(args with, size_t flags = 0)
	{
		void *block = nullptr, *task;

		nanos6_create_task(&info, &site, nullptr, sizeof(args), &block, &task, flags, 3);
		*(args *)block = with;
		nanos6_submit_task(task);
	}
};

__attribute__((constructor)) static void check_version()
{
	nanos6_api_versions_t version = {
		nanos6_api_check_api,
		nanos6_major_api,
		nanos6_blocking_api,
		nanos6_bootstrap_api,
		nanos6_cluster_api,
		nanos6_config_api,
		nanos6_cuda_device_api,
		nanos6_openacc_device_api,
		nanos6_final_api,
		nanos6_instantiation_api,
		nanos6_library_mode_api,
		nanos6_lint_api,
		nanos6_locking_api,
		nanos6_monitoring_api,
		nanos6_polling_api,
		nanos6_reductions_api,
		nanos6_task_constraints_api,
		nanos6_task_execution_api,
		nanos6_task_info_registration_api,
		nanos6_loop_api,
		nanos6_taskwait_api,
	};

	nanos6_check_api_versions(&version);
}

static void cholesky(type &potrf, type &trsm, type &syrk, type &gemm)
{
	for (int k = 0; k < N; k++) {
		potrf({ {}, &tile[k][k], inout, spin });
		for (int m = k + 1; m < N; m++)
			trsm({ { &tile[k][k] }, &tile[m][k], inout, spin });
		for (int m = k + 1; m < N; m++) {
			syrk({ { &tile[m][k] }, &tile[m][m], inout, spin });
			for (int n = k + 1; n < m; n++)
				gemm({ { &tile[m][k], &tile[n][k] }, &tile[m][n], inout, spin });
		}
	}
	nanos6_taskwait("nanos6.cpp:1");
}

static void locks()
{
	nanos6_user_lock(&mutex, "nanos6.cpp:1");
	spin();
	nanos6_user_unlock(&mutex);
}

static void blocks()
{
	void *self = nanos6_get_current_blocking_context();

	__atomic_store_n(&blocked, self, __ATOMIC_RELEASE);
	nanos6_block_current_task(self);
}

static void unblocks()
{
	void *other;

	while (!(other = __atomic_load_n(&blocked, __ATOMIC_ACQUIRE)))
		;
	nanos6_unblock_task(other);
}

static type *leaf;

static void nests()
{
	(*leaf)({ {}, nullptr, inout, spin });
	nanos6_taskwait("nanos6.cpp:2");
}

int main()
{
	static type potrf("potrf"), trsm("trsm"), syrk("syrk"), gemm("gemm"), set("set"),
		other("other");
	static char object;

	cholesky(potrf, trsm, syrk, gemm);
	set({ {}, &object, inout, spin }); /* between these, three of a set */
	for (int i = 0; i < 3; i++)
		set({ {}, &object, commutative, spin });
	set({ {}, &object, inout, spin });
	for (int i = 0; i < 3; i++)
		set({ {}, &object, concurrent, spin });
	set({ {}, &object, inout, spin });
	nanos6_taskwait("nanos6.cpp:3");
	leaf = &other;
	other({ {}, nullptr, inout, spin }, nanos6_if_0_task);
	other({ {}, nullptr, inout, nests });
	for (int i = 0; i < 4; i++)
		other({ {}, nullptr, inout, locks });
	other({ {}, nullptr, inout, blocks });
	other({ {}, nullptr, inout, unblocks });
	nanos6_taskwait("nanos6.cpp:4");
	std::puts("done");
	return 0;
}

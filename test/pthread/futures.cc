// SPDX-License-Identifier: MIT
// What waits for std::future, in a team's members: prints what each call returns.
#include <chrono>
#include <cstdio>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

using namespace std::chrono_literals;

// One member waits, the other one gives it the value 2 ms later.
template <typename wait_type> static void handed(const char *name, wait_type wait)
{
	int sum = 0;

	for (int i = 0; i < 10; i++) {
		std::promise<int> promise;
		std::future<int> future = promise.get_future();
#pragma omp parallel sections num_threads(2)
		{
#pragma omp section
			sum += wait(future);
#pragma omp section
			{
				std::this_thread::sleep_for(2ms);
				promise.set_value(i);
			}
		}
	}
	std::printf("%s: %d\n", name, sum);
}

static const char *status(std::future_status status)
{
	return status == std::future_status::ready ? "ready" : "timeout";
}

static void late()
{
	std::promise<int> promise;
	std::future<int> future = promise.get_future();
	std::future_status first, second;

#pragma omp parallel num_threads(1)
	{
		first = future.wait_for(5ms);
		second = future.wait_until(std::chrono::system_clock::now() + 5ms);
	}
	promise.set_value(1);
	std::printf("late: %s %s %s\n", status(first), status(second),
		    status(future.wait_for(5ms)));
}

static void broken()
{
	std::string said[2];

#pragma omp parallel num_threads(2)
#pragma omp for
	for (int i = 0; i < 2; i++) {
		auto future = std::async(std::launch::async, [i] {
			std::this_thread::sleep_for(2ms);
			if (i)
				throw std::runtime_error("thrown");
			return 1;
		});
		try {
			said[i] = future.get() == 1 ? "one" : "other";
		} catch (const std::exception &error) {
			said[i] = error.what();
		}
	}
	std::printf("async: %s %s\n", said[0].c_str(), said[1].c_str());
}

// Many wait for one, which is given by a thread without tasks.
static void shared()
{
	std::promise<int> promise;
	std::shared_future<int> future = promise.get_future();
	int sum = 0;
	std::thread giver([&] {
		std::this_thread::sleep_for(5ms);
		promise.set_value(7);
	});

#pragma omp parallel num_threads(4) reduction(+ : sum)
	sum += future.get();
	giver.join();
	std::printf("shared: %d\n", sum);
}

extern "C" int futures_run(void)
{
	handed("get", [](std::future<int> &future) { return future.get(); });
	handed("wait_for", [](std::future<int> &future) {
		return future.wait_for(100s) == std::future_status::ready ? future.get() : -1;
	});
	handed("wait_until", [](std::future<int> &future) {
		auto until = std::chrono::system_clock::now() + 100s;
		return future.wait_until(until) == std::future_status::ready ? future.get() : -1;
	});
	late();
	broken();
	shared();
	return 0;
}

int main()
{
	return futures_run();
}

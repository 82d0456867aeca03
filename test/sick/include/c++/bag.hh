/* SPDX-License-Identifier: MIT */
/* bag.hh - stands for a library's container that all may use at once: it is where libraries are. */
#pragma once

#include <atomic>

template <typename T> class bag {
public:
	void put(T value)
	{
		last[count++ % (sizeof(last) / sizeof(last[0]))] = value;
	}

private:
	std::atomic<unsigned long> count{ 0 };
	T last[1024] = {};
};

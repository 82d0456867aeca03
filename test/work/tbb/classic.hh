/* SPDX-License-Identifier: MIT */
/* classic.hh - what the headers of classic TBB call to begin an algorithm or a group of tasks. */
#pragma once

#include <cstddef>

namespace tbb {
namespace internal {

struct allocate_root_proxy {
	static char &allocate(std::size_t bytes);
};

struct allocate_root_with_context_proxy {
	long context;
	char &allocate(std::size_t bytes) const;
};

} // namespace internal
} // namespace tbb

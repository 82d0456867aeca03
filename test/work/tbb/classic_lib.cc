/* SPDX-License-Identifier: MIT */
// part-of: classic.cc
/* Stands for libtbb.so.2, which Debian 11 has. */
#include "classic.hh"

static char object[64];

namespace tbb {
namespace internal {

char &allocate_root_proxy::allocate(std::size_t bytes)
{
	return object[bytes];
}

char &allocate_root_with_context_proxy::allocate(std::size_t bytes) const
{
	return object[bytes + context];
}

} // namespace internal
} // namespace tbb

/* SPDX-License-Identifier: MIT */
/*
 * device_functions.h - the functions in which a thread waits for a device.
 *
 * F(whose, name, number of arguments, what is returned if there is no such function, whether this
 * call waits): a1, a2 .. are its arguments.  All are integers or pointers, and so are all results.
 */
#pragma once

#define DEVICE_NO_CL ((word)-6)	    /* CL_OUT_OF_HOST_MEMORY */
#define DEVICE_NO_CUDA ((word)999)  /* ..ErrorUnknown, CUDA_ERROR_UNKNOWN */
#define DEVICE_NO_TARGET ((word)-1) /* OFFLOAD_FAIL: the host runs the region */

/* clang-format off */
/* [LLVM 14, openmp/libomptarget/include/omptarget.h; 15: ..kernel] */
#define DEVICE_TARGET(F, name, n) \
	F(TARGET, __tgt_target_##name, n, DEVICE_NO_TARGET, device_is_there(FROM))
#define DEVICE_TARGETS(F) \
	DEVICE_TARGET(F, mapper, 10) DEVICE_TARGET(F, nowait_mapper, 14) \
	DEVICE_TARGET(F, teams_mapper, 12) DEVICE_TARGET(F, teams_nowait_mapper, 16) \
	DEVICE_TARGET(F, kernel, 6) DEVICE_TARGET(F, kernel_nowait, 10) \
	DEVICE_TARGET(F, data_begin_mapper, 9) DEVICE_TARGET(F, data_begin_nowait_mapper, 13) \
	DEVICE_TARGET(F, data_end_mapper, 9) DEVICE_TARGET(F, data_end_nowait_mapper, 13) \
	DEVICE_TARGET(F, data_update_mapper, 9) DEVICE_TARGET(F, data_update_nowait_mapper, 13)

/* A cl_bool says whether the call blocks.  [OpenCL 3.0, cl.h] */
#define DEVICE_CL(F, name, n, blocks) F(OPENCL, name, n, DEVICE_NO_CL, (uint32_t)(blocks))
#define DEVICE_CL_MAP(F, name, n, blocks) F(OPENCL, name, n, 0, (uint32_t)(blocks))
#define DEVICE_OPENCL(F) \
	DEVICE_CL(F, clFinish, 1, 1) DEVICE_CL(F, clWaitForEvents, 2, 1) \
	DEVICE_CL(F, clEnqueueReadBuffer, 9, a3) DEVICE_CL(F, clEnqueueWriteBuffer, 9, a3) \
	DEVICE_CL(F, clEnqueueReadBufferRect, 14, a3) \
	DEVICE_CL(F, clEnqueueWriteBufferRect, 14, a3) \
	DEVICE_CL(F, clEnqueueReadImage, 11, a3) DEVICE_CL(F, clEnqueueWriteImage, 11, a3) \
	DEVICE_CL_MAP(F, clEnqueueMapBuffer, 10, a3) DEVICE_CL_MAP(F, clEnqueueMapImage, 12, a3) \
	DEVICE_CL(F, clEnqueueSVMMap, 8, a2) DEVICE_CL(F, clEnqueueSVMMemcpy, 8, a2)

#define DEVICE_CUDA(F, whose, name, n) F(whose, name, n, DEVICE_NO_CUDA, true)
/* Of CUDA's runtime and of HIP. */
#define DEVICE_RUNTIME(F, whose, rt) \
	DEVICE_CUDA(F, whose, rt##DeviceSynchronize, 0) \
	DEVICE_CUDA(F, whose, rt##StreamSynchronize, 1) \
	DEVICE_CUDA(F, whose, rt##EventSynchronize, 1) DEVICE_CUDA(F, whose, rt##Memcpy, 4)
#define DEVICE_DRIVER(F) \
	DEVICE_CUDA(F, CUDA, cuCtxSynchronize, 0) DEVICE_CUDA(F, CUDA, cuStreamSynchronize, 1) \
	DEVICE_CUDA(F, CUDA, cuEventSynchronize, 1) DEVICE_CUDA(F, HIP, hipCtxSynchronize, 0)

#define DEVICE_FUNCTIONS(F) \
	DEVICE_TARGETS(F) DEVICE_OPENCL(F) DEVICE_RUNTIME(F, CUDA, cuda) \
	DEVICE_RUNTIME(F, HIP, hip) DEVICE_DRIVER(F)
/* clang-format on */

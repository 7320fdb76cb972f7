// hfpy_opencl.hpp: what the sources of the OpenCL runtime share.

#ifndef HFPY_OPENCL_HPP
#define HFPY_OPENCL_HPP

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstddef>
#include <string>

#include "cuda_runtime.h"

namespace hfpy::opencl {

// A device with what is asked of it.
struct device {
  cl_platform_id platform;
  cl_device_id id;
  cl_device_type type;
  std::string name, platform_name;
  std::size_t largest_buffer, most_parameters;
  bool doubles, exact_floats;
};

// --- hfpy_opencl.cpp ---

const device &chosen();
cl_context context();

// --- hfpy_opencl_programs.cpp ---

device described(cl_platform_id platform, cl_device_id id);
const char *name_of(cl_int status);

// A kernel of a program, which is built when it is first asked for, or taken from the cache on disk: once for indices of
// 32 bits (`narrow`), once for those of 64. Ends the program with the compiler's messages if that fails.
cl_kernel kernel_of(const hf_program &program, const char *kernel, bool narrow, const char *where);

}  // namespace hfpy::opencl

#endif

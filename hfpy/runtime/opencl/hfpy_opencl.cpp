// hfpy_opencl.cpp: devices, memory, copies and kernels of OpenCL 1.2, behind the calls of the runtime (cuda_runtime.h).
//
// HFPY_OPENCL_DEVICE chooses the device: its number in the list that a wrong value prints, or a part of its name or of
// its platform's. Without it all GPUs count, else other accelerators, else CPUs, and each rank takes one.

#define CL_TARGET_OPENCL_VERSION 120
#if !__has_include(<CL/cl.h>)
#error the headers of OpenCL are missing (Debian, Ubuntu: apt-get install ocl-icd-opencl-dev)
#endif
#include <CL/cl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "hfpy_opencl.hpp"
#include "hfpy_queues.hpp"
#include "hfpy_runtime.hpp"

hf_uint3 threadIdx;
hf_uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;

// Kernels of the runtime's own are compiled for the host, too, where nobody calls them.
void __syncthreads() { std::abort(); }

struct hf_emulate_event {
  cl_event happened = nullptr;
};

struct hf_emulate_stream {
  cl_command_queue queue = nullptr;
};

namespace {

using hfpy::opencl::chosen;
using hfpy::opencl::device;

struct buffer {
  cl_mem memory;
  std::size_t bytes;
  unsigned users = 1;  // of a buffer that somebody else has made: hf_opencl_lend
};

struct state {
  std::vector<device> devices;
  int current = 0;
  bool looked = false;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;           // the default one
  std::vector<hf_emulate_stream *> streams;   // the others
  std::map<std::uintptr_t, buffer> buffers;  // by the beginning of their addresses
  std::string fault;
  cudaError_t last = cudaSuccess;
};

// Never destroyed: programs may still give memory back while they end.
state &all() {
  static state *const only = new state;
  return *only;
}

cudaError_t failed(const std::string &what, cudaError_t status = cudaErrorInvalidValue) {
  all().fault = what;
  return all().last = status;
}

cudaError_t as_status(const char *call, cl_int status) {
  if (status == CL_SUCCESS) return cudaSuccess;
  const bool memory = status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY ||
                      status == CL_INVALID_BUFFER_SIZE;
  return failed(std::string(call) + ": " + hfpy::opencl::name_of(status),
                memory ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
}

const char *word_of(cl_device_type type) {
  return type & CL_DEVICE_TYPE_GPU ? "GPU" : type & CL_DEVICE_TYPE_CPU ? "CPU" : "accelerator";
}

std::vector<device> every_device() {
  std::vector<device> found;
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return found;
  std::vector<cl_platform_id> platforms(count);
  if (count > 0) (void)clGetPlatformIDs(count, platforms.data(), nullptr);
  for (cl_platform_id platform : platforms) {
    cl_uint here = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &here) != CL_SUCCESS) continue;
    std::vector<cl_device_id> ids(here);
    (void)clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, here, ids.data(), nullptr);
    for (cl_device_id id : ids) found.push_back(hfpy::opencl::described(platform, id));
  }
  return found;
}

std::string listed(const std::vector<device> &devices) {
  std::string text;
  for (std::size_t n = 0; n < devices.size(); ++n) {
    text += "\n  " + std::to_string(n) + ": " + devices[n].name + " (" + word_of(devices[n].type) + ", " +
            devices[n].platform_name + ")";
  }
  return text;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// The devices that the environment asks for, else the best kind there is.
std::vector<device> wanted(const std::vector<device> &devices, const std::string &asked) {
  std::vector<device> found;
  if (asked.empty()) {
    for (const cl_device_type kind : {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU}) {
      std::copy_if(devices.begin(), devices.end(), std::back_inserter(found),
                   [kind](const device &d) { return (d.type & kind) != 0; });
      if (!found.empty()) return found;
    }
    return devices;
  }
  if (asked.find_first_not_of("0123456789") == std::string::npos) {
    const unsigned long number = std::strtoul(asked.c_str(), nullptr, 10);
    if (number < devices.size()) found.push_back(devices[number]);
    return found;
  }
  std::copy_if(devices.begin(), devices.end(), std::back_inserter(found), [&asked](const device &d) {
    return lower(d.name + " " + d.platform_name).find(lower(asked)) != std::string::npos;
  });
  return found;
}

cudaError_t look() {
  if (all().looked) return cudaSuccess;
  const char *const value = std::getenv("HFPY_OPENCL_DEVICE");
  const std::string asked = value == nullptr ? "" : value;
  const std::vector<device> devices = every_device();
  if (devices.empty()) {
    return failed("no driver for OpenCL tells of a device; for CPUs there is pocl (apt-get install pocl-opencl-icd)");
  }
  all().devices = wanted(devices, asked);
  if (all().devices.empty()) {
    return failed("HFPY_OPENCL_DEVICE is '" + asked + "', and the devices here are" + listed(devices));
  }
  all().looked = true;
  return cudaSuccess;
}

// Context and queue of the chosen device, made when they are first needed.
cudaError_t ready() {
  if (all().queue != nullptr) return cudaSuccess;
  const cudaError_t looked = look();
  if (looked != cudaSuccess) return looked;
  const device &mine = chosen();
  cl_int status = CL_SUCCESS;
  all().context = clCreateContext(nullptr, 1, &mine.id, nullptr, nullptr, &status);
  if (status != CL_SUCCESS) return as_status("clCreateContext", status);
  all().queue = clCreateCommandQueue(all().context, mine.id, CL_QUEUE_PROFILING_ENABLE, &status);
  return as_status("clCreateCommandQueue", status);
}

cl_command_queue queue_of(cudaStream_t stream) { return stream == nullptr ? all().queue : stream->queue; }

// The buffer that an address belongs to, and the bytes before it.
struct place {
  cl_mem memory;
  std::size_t offset;
};

place place_of(const void *device) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(device);
  auto after = all().buffers.upper_bound(address);
  if (after != all().buffers.begin()) {
    const auto &[begin, found] = *--after;
    if (address - begin < found.bytes) return {found.memory, address - begin};
  }
  hfd_fail("OpenCL", nullptr, "%p is no address of device memory", device);
}

}  // namespace

namespace hfpy::opencl {

const device &chosen() { return all().devices[static_cast<std::size_t>(all().current)]; }
cl_context context() { return all().context; }

}  // namespace hfpy::opencl

const char *cudaGetErrorString(cudaError_t status) {
  if (!all().fault.empty()) return all().fault.c_str();
  return status == cudaErrorMemoryAllocation ? "out of memory" : "no error";
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = all().last;
  all().last = cudaSuccess;
  return error;
}

cudaError_t cudaGetDeviceCount(int *count) {
  const cudaError_t status = look();
  *count = static_cast<int>(all().devices.size());
  return status;
}

cudaError_t cudaGetDevice(int *device) {
  *device = all().current;
  return look();
}

cudaError_t cudaSetDevice(int device) {
  const cudaError_t status = look();
  if (status != cudaSuccess || device == all().current) return status;
  if (all().queue != nullptr) return failed("the device has been chosen already");
  const int count = static_cast<int>(all().devices.size());
  if (device < 0 || device >= count) return failed("there is no device of this number");
  all().current = device;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  const cudaError_t status = ready();
  if (status != cudaSuccess) return status;
  for (hf_emulate_stream *stream : all().streams) {
    const cl_int finished = clFinish(stream->queue);
    if (finished != CL_SUCCESS) return as_status("clFinish", finished);
  }
  return as_status("clFinish", clFinish(all().queue));
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  const cudaError_t there = ready();
  if (there != cudaSuccess) return there;
  cl_int status = CL_SUCCESS;
  const cl_command_queue made = clCreateCommandQueue(all().context, chosen().id, CL_QUEUE_PROFILING_ENABLE, &status);
  if (status != CL_SUCCESS) return as_status("clCreateCommandQueue", status);
  *stream = new hf_emulate_stream{made};
  all().streams.push_back(*stream);
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  if (event->happened == nullptr) return cudaSuccess;
  return as_status("clEnqueueBarrierWithWaitList",
              clEnqueueBarrierWithWaitList(queue_of(stream), 1, &event->happened, nullptr));
}

// A buffer, and as many addresses that nobody can use.
cudaError_t cudaMalloc(void **device, std::size_t bytes) {
  const cudaError_t there = ready();
  if (there != cudaSuccess) return there;
  if (bytes > chosen().largest_buffer) {
    return failed("'" + chosen().name + "' gives at most " + std::to_string(chosen().largest_buffer) +
                      " bytes in one piece: choose another device by HFPY_OPENCL_DEVICE, or a smaller grid",
                  cudaErrorMemoryAllocation);
  }
  cl_int status = CL_SUCCESS;
  const cl_mem memory = clCreateBuffer(all().context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  if (status != CL_SUCCESS) return as_status("clCreateBuffer", status);
  *device = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (*device == MAP_FAILED) {
    (void)clReleaseMemObject(memory);
    return failed("no addresses are left", cudaErrorMemoryAllocation);
  }
  all().buffers[reinterpret_cast<std::uintptr_t>(*device)] = {memory, bytes};
  return cudaSuccess;
}

cudaError_t cudaFree(void *device) {
  const auto found = all().buffers.find(reinterpret_cast<std::uintptr_t>(device));
  if (found == all().buffers.end()) return failed("this is no address of a buffer");
  const cl_int status = clReleaseMemObject(found->second.memory);
  (void)munmap(device, found->second.bytes);
  all().buffers.erase(found);
  return as_status("clReleaseMemObject", status);
}

cudaError_t cudaMallocHost(void **host, std::size_t bytes) {
  *host = std::malloc(bytes);
  return *host == nullptr ? failed("no memory is left on the host", cudaErrorMemoryAllocation) : cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *target, const void *source, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const cudaError_t there = ready();
  if (there != cudaSuccess) return there;
  if (kind == cudaMemcpyHostToDevice) {
    const place to = place_of(target);
    return as_status("clEnqueueWriteBuffer", clEnqueueWriteBuffer(queue_of(stream), to.memory, CL_FALSE, to.offset, bytes,
                                                             source, 0, nullptr, nullptr));
  }
  const place from = place_of(source);
  return as_status("clEnqueueReadBuffer", clEnqueueReadBuffer(queue_of(stream), from.memory, CL_FALSE, from.offset, bytes,
                                                         target, 0, nullptr, nullptr));
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  *event = new hf_emulate_event;
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int) { return cudaEventCreate(event); }

// An event that another queue may wait for has to be on its way.
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const cudaError_t there = ready();
  if (there != cudaSuccess) return there;
  if (event->happened != nullptr) (void)clReleaseEvent(event->happened);
  event->happened = nullptr;
  const cl_int status = clEnqueueMarkerWithWaitList(queue_of(stream), 0, nullptr, &event->happened);
  if (status == CL_SUCCESS && stream != nullptr) (void)clFlush(stream->queue);
  return as_status("clEnqueueMarkerWithWaitList", status);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (event->happened == nullptr) return cudaSuccess;
  return as_status("clWaitForEvents", clWaitForEvents(1, &event->happened));
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  cl_ulong times[2] = {0, 0};
  const cudaEvent_t events[] = {begin, end};
  for (int n = 0; n < 2; ++n) {
    const cl_int status = clGetEventProfilingInfo(events[n]->happened, CL_PROFILING_COMMAND_END, sizeof(cl_ulong),
                                                  &times[n], nullptr);
    if (status != CL_SUCCESS) return as_status("clGetEventProfilingInfo", status);
  }
  *milliseconds = times[1] > times[0] ? static_cast<float>(static_cast<double>(times[1] - times[0]) * 1e-6) : 0;
  return cudaSuccess;
}

// --- context, queue and buffers of somebody else's: hfpy.load with pyopencl (hfpy/kernels/opencl.py) ---

extern "C" {

// Use a context, and a queue of it if one is given. 0: done; 1: another context has memory in use; 2: it cannot be used.
int hf_opencl_use(cl_context context, cl_command_queue queue, cl_platform_id platform, cl_device_id id) {
  const hfpy::guard alone;
  hfpy::use_one_queue();
  if (all().queue != nullptr) hfpy::give_unused("Python");
  if (!all().buffers.empty()) return 1;
  if (clRetainContext(context) != CL_SUCCESS) return 2;
  cl_int status = CL_SUCCESS;
  if (queue == nullptr) queue = clCreateCommandQueue(context, id, CL_QUEUE_PROFILING_ENABLE, &status);
  else status = clRetainCommandQueue(queue);
  if (status != CL_SUCCESS) {
    (void)clReleaseContext(context);
    return 2;
  }
  if (all().queue != nullptr) {
    (void)clFinish(all().queue);
    (void)clReleaseCommandQueue(all().queue);
    (void)clReleaseContext(all().context);
  }
  all().devices = {hfpy::opencl::described(platform, id)};
  all().current = 0;
  all().looked = true;
  all().context = context;
  all().queue = queue;
  return 0;
}

// Addresses for a buffer, the same ones until all who asked for them give them back; null if there are none.
void *hf_opencl_lend(cl_mem memory, std::size_t bytes) {
  const hfpy::guard alone;
  for (auto &[begin, found] : all().buffers) {
    if (found.memory != memory) continue;
    ++found.users;
    return reinterpret_cast<void *>(begin);
  }
  if (clRetainMemObject(memory) != CL_SUCCESS) return nullptr;
  void *const begin = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) {
    (void)clReleaseMemObject(memory);
    return nullptr;
  }
  all().buffers[reinterpret_cast<std::uintptr_t>(begin)] = {memory, bytes, 1};
  return begin;
}

void hf_opencl_give_back(void *begin) {
  const hfpy::guard alone;
  const auto found = all().buffers.find(reinterpret_cast<std::uintptr_t>(begin));
  if (found != all().buffers.end() && --found->second.users == 0) (void)cudaFree(begin);
}

}  // extern "C"

// --- launches ---

hf_opencl_call::hf_opencl_call(const hf_program &program, const char *kernel, bool narrow, const char *where)
    : kernel_(nullptr), name_(kernel), where_(where) {
  hfpy::check(ready(), where, "preparing", kernel);
  kernel_ = hfpy::opencl::kernel_of(program, kernel, narrow, where);
}

void hf_opencl_call::value(const void *bytes, std::size_t count) {
  bytes_ += count;
  hfpy::check(as_status("clSetKernelArg", clSetKernelArg(static_cast<cl_kernel>(kernel_), count_++, count, bytes)), where_,
              "passing an argument to", name_);
}

void hf_opencl_call::memory(const void *device, bool part) {
  const place there = device == nullptr ? place{nullptr, 0} : place_of(device);
  value(&there.memory, sizeof(cl_mem));
  const cl_long offset = static_cast<cl_long>(there.offset);
  if (part) {
    value(&offset, sizeof offset);
  } else if (offset != 0) {
    hfd_fail(where_, name_, "memory of its own does not begin where its buffer does");
  }
}

// Smaller groups do: a thread's place is counted over all groups, and threads that combine what they have do so with
// those of their group, whatever its size.
dim3 hf_opencl_call::threads_of(const dim3 &threads) const {
  std::size_t most = 0, local[] = {threads.x, threads.y, threads.z};
  (void)clGetKernelWorkGroupInfo(static_cast<cl_kernel>(kernel_), chosen().id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                 &most, nullptr);
  while (most > 0 && local[0] * local[1] * local[2] > most) {
    std::size_t &size = local[2] > 1 ? local[2] : local[1] > 1 ? local[1] : local[0];
    std::size_t factor = 2;
    while (size % factor != 0) ++factor;
    size /= factor;
  }
  return dim3(static_cast<unsigned int>(local[0]), static_cast<unsigned int>(local[1]),
              static_cast<unsigned int>(local[2]));
}

void hf_opencl_call::run(const dim3 &blocks, const dim3 &threads, cudaStream_t stream) {
  const cl_kernel kernel = static_cast<cl_kernel>(kernel_);
  const dim3 group = threads_of(threads);
  const std::size_t local[] = {group.x, group.y, group.z};
  const std::size_t global[] = {std::size_t{threads.x} * blocks.x, std::size_t{threads.y} * blocks.y,
                                std::size_t{threads.z} * blocks.z};
  const cl_int status = clEnqueueNDRangeKernel(queue_of(stream), kernel, 3, nullptr, global, local, 0, nullptr, nullptr);
  if (status != CL_SUCCESS && bytes_ > chosen().most_parameters) {
    hfd_fail(where_, name_, "its arguments have %zu bytes, and '%s' takes %zu (%s): a kernel with fewer arrays does",
             bytes_, chosen().name.c_str(), chosen().most_parameters, hfpy::opencl::name_of(status));
  }
  if (status == CL_OUT_OF_RESOURCES || status == CL_MEM_OBJECT_ALLOCATION_FAILURE) {
    hfd_fail(where_, name_, "'%s' has too little of something that this kernel needs (%s): make its region, or its "
             "private arrays, smaller, or choose another device by HFPY_OPENCL_DEVICE", chosen().name.c_str(),
             hfpy::opencl::name_of(status));
  }
  // Other errors show in hfd_launch_ends.
  if (as_status("clEnqueueNDRangeKernel", status) == cudaSuccess) (void)clFlush(queue_of(stream));
}

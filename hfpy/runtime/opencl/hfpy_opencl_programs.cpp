// hfpy_opencl_programs.cpp: programs of OpenCL: built from the text of a generated file, once for a device, and kept.
//
// What the device's compiler made is in files of HFPY_OPENCL_CACHE (~/.cache/hfpy/opencl; 0 for none), each with all
// that it depends on: text, options, device, driver. HFPY_OPENCL_FLAGS has further options for the compiler.

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hfpy_opencl.hpp"
#include "hfpy_runtime.hpp"

namespace hfpy::opencl {

namespace {

const char prelude[] =
#include "hfpy_kernel.cl"
    ;

std::string text_of(cl_device_id id, cl_device_info what) {
  std::size_t bytes = 0;
  if (clGetDeviceInfo(id, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return "";
  std::string text(bytes, '\0');
  (void)clGetDeviceInfo(id, what, bytes, &text[0], nullptr);
  text.resize(text.find_last_not_of(std::string("\0 ", 2)) + 1);
  return text;
}

template <class T>
T number_of(cl_device_id id, cl_device_info what) {
  T number = 0;
  (void)clGetDeviceInfo(id, what, sizeof number, &number, nullptr);
  return number;
}

std::string options_for(const device &mine, bool narrow) {
  std::string options = "-cl-std=CL1.2";
  if (narrow) options += " -DHF_INDEX32";
  if (mine.doubles) options += " -DHF_DOUBLE";
  if (mine.exact_floats) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  const char *const more = std::getenv("HFPY_OPENCL_FLAGS");
  return more == nullptr || *more == '\0' ? options : options + " " + more;
}

// --- the cache ---

std::string cache_folder() {
  const char *const own = std::getenv("HFPY_OPENCL_CACHE");
  if (own != nullptr) return std::string(own) == "0" ? "" : own;
  const char *const common = std::getenv("XDG_CACHE_HOME");
  if (common != nullptr && *common == '/') return std::string(common) + "/hfpy/opencl";
  const char *const home = std::getenv("HOME");
  return home == nullptr || *home != '/' ? "" : std::string(home) + "/.cache/hfpy/opencl";
}

// All that a result of the compiler depends on.
std::string key_of(const hf_program &program, const device &mine, const std::string &options) {
  std::string key;
  for (const std::string &part : {options, mine.name, mine.platform_name, text_of(mine.id, CL_DEVICE_VERSION),
                                  text_of(mine.id, CL_DRIVER_VERSION), std::string(prelude),
                                  std::string(program.text)}) {
    key += std::to_string(part.size()) + ":" + part;
  }
  return key;
}

// Fowler, Noll and Vo's function (FNV-1a, 64 bits).
std::string digest_of(const char *text, std::size_t bytes) {
  std::uint64_t digest = 14695981039346656037ULL;
  for (std::size_t b = 0; b < bytes; ++b) digest = (digest ^ static_cast<unsigned char>(text[b])) * 1099511628211ULL;
  char shown[17];
  std::snprintf(shown, sizeof shown, "%016llx", static_cast<unsigned long long>(digest));
  return shown;
}

// A file is named by a digest of its key; whether it is the right one the whole key tells, which it begins with.
std::string file_for(const std::string &key) {
  const std::string folder = cache_folder();
  return folder.empty() ? "" : folder + "/" + digest_of(key.data(), key.size()) + ".bin";
}

constexpr std::size_t digest_bytes = 16;

std::vector<unsigned char> kept(const std::string &path, const std::string &key) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream all;
  if (path.empty() || !file || !(all << file.rdbuf())) return {};
  const std::string text = all.str();
  const std::size_t head = key.size() + digest_bytes;
  if (text.size() <= head || text.compare(0, key.size(), key) != 0) return {};
  // Drivers do not survive what is damaged.
  const std::string digest = digest_of(text.data() + head, text.size() - head);
  if (text.compare(key.size(), digest_bytes, digest) != 0) return {};
  return {text.begin() + static_cast<std::ptrdiff_t>(head), text.end()};
}

void make_folder(const std::string &path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    (void)mkdir(path.substr(0, end).c_str(), 0777);
  }
}

// Written under another name and renamed: others never see a part. Where it cannot be written, it is built again.
void keep(const std::string &path, const std::string &key, const std::vector<unsigned char> &binary) {
  if (path.empty() || binary.empty()) return;
  make_folder(path);
  const std::string temporary = path + "." + std::to_string(getpid());
  std::ofstream file(temporary, std::ios::binary);
  const char *const bytes = reinterpret_cast<const char *>(binary.data());
  file << key << digest_of(bytes, binary.size());
  file.write(bytes, static_cast<std::streamsize>(binary.size()));
  file.close();
  if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) (void)std::remove(temporary.c_str());
}

std::vector<unsigned char> binary_of(cl_program program) {
  std::size_t bytes = 0;
  if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS) return {};
  std::vector<unsigned char> binary(bytes);
  unsigned char *into[] = {binary.data()};
  if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof into, into, nullptr) != CL_SUCCESS) return {};
  return binary;
}

// --- building ---

cl_program from_binary(const std::vector<unsigned char> &binary, const device &mine, const std::string &options) {
  const unsigned char *from[] = {binary.data()};
  const std::size_t bytes = binary.size();
  cl_int loaded = CL_SUCCESS, status = CL_SUCCESS;
  const cl_program program = clCreateProgramWithBinary(context(), 1, &mine.id, &bytes, from, &loaded, &status);
  if (status != CL_SUCCESS) return nullptr;
  if (loaded == CL_SUCCESS && clBuildProgram(program, 1, &mine.id, options.c_str(), nullptr, nullptr) == CL_SUCCESS) {
    return program;
  }
  (void)clReleaseProgram(program);
  return nullptr;
}

std::string messages(cl_program program, const device &mine) {
  std::size_t bytes = 0;
  (void)clGetProgramBuildInfo(program, mine.id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string text(bytes, '\0');
  if (bytes > 0) (void)clGetProgramBuildInfo(program, mine.id, CL_PROGRAM_BUILD_LOG, bytes, &text[0], nullptr);
  return text.c_str();
}

cl_program built(const hf_program &text, const device &mine, bool narrow, const char *kernel, const char *where) {
  if (text.doubles && !mine.doubles) {
    hfd_fail(where, kernel, "the kernels of %s compute with double precision, which '%s' does not have: choose another "
             "device by HFPY_OPENCL_DEVICE, or compute with single precision", text.name, mine.name.c_str());
  }
  const std::string options = options_for(mine, narrow), key = key_of(text, mine, options), path = file_for(key);
  const std::vector<unsigned char> binary = kept(path, key);
  if (!binary.empty()) {
    if (const cl_program program = from_binary(binary, mine, options)) return program;
  }
  const char *parts[] = {prelude, text.text};
  cl_int status = CL_SUCCESS;
  const cl_program program = clCreateProgramWithSource(context(), 2, parts, nullptr, &status);
  if (status == CL_SUCCESS) status = clBuildProgram(program, 1, &mine.id, options.c_str(), nullptr, nullptr);
  if (status != CL_SUCCESS) {
    hfd_fail(where, kernel, "the OpenCL compiler of '%s' does not take the kernels of %s (%s)\n%s", mine.name.c_str(),
             text.name, name_of(status), program == nullptr ? "" : messages(program, mine).c_str());
  }
  keep(path, key, binary_of(program));
  return program;
}

}  // namespace

device described(cl_platform_id platform, cl_device_id id) {
  char platform_name[256] = "";
  (void)clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name, platform_name, nullptr);
  device made = {};
  made.platform = platform;
  made.id = id;
  made.type = number_of<cl_device_type>(id, CL_DEVICE_TYPE);
  made.name = text_of(id, CL_DEVICE_NAME);
  made.platform_name = platform_name;
  made.largest_buffer = static_cast<std::size_t>(number_of<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  made.most_parameters = number_of<std::size_t>(id, CL_DEVICE_MAX_PARAMETER_SIZE);
  made.doubles = number_of<cl_device_fp_config>(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  const cl_device_fp_config floats = number_of<cl_device_fp_config>(id, CL_DEVICE_SINGLE_FP_CONFIG);
  made.exact_floats = (floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  return made;
}

const char *name_of(cl_int status) {
  static const std::map<cl_int, const char *> names = {
      {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
      {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
      {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
      {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
      {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
      {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
      {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
      {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
      {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
      {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
      {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
      {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
      {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
      {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
      {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
      {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
  };
  const auto found = names.find(status);
  if (found != names.end()) return found->second;
  static thread_local char other[32];
  std::snprintf(other, sizeof other, "error %d of OpenCL", static_cast<int>(status));
  return other;
}

cl_kernel kernel_of(const hf_program &program, const char *kernel, bool narrow, const char *where) {
  static auto *const programs = new std::map<std::tuple<const hf_program *, cl_context, bool>, cl_program>;
  static auto *const kernels = new std::map<std::pair<cl_program, std::string>, cl_kernel>;
  cl_program &whole = (*programs)[{&program, context(), narrow}];
  if (whole == nullptr) whole = built(program, chosen(), narrow, kernel, where);
  cl_kernel &found = (*kernels)[{whole, kernel}];
  if (found == nullptr) {
    cl_int status = CL_SUCCESS;
    found = clCreateKernel(whole, kernel, &status);
    if (status != CL_SUCCESS) hfd_fail(where, kernel, "OpenCL does not make the kernel: %s", name_of(status));
  }
  return found;
}

}  // namespace hfpy::opencl

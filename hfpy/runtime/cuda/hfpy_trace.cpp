// hfpy_trace.cpp: HFPY_TRACE: lines for copies and launches, counters, times of kernels, the summary at the end.

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "hfpy_queues.hpp"
#include "hfpy_runtime.hpp"

// In programs that were built for `hfpy run --profile` (hfpy_profile.c); null in others.
extern "C" {
__attribute__((weak)) double hfq_clock(void);
__attribute__((weak)) void hfq_copied(const char *name, const char *way, std::size_t bytes, double since);
}

namespace {

struct counter {
  long long count = 0;
  unsigned long long bytes = 0;

  void add(std::size_t more) {
    ++count;
    bytes += more;
  }
};

struct kernel_time {
  long long launches = 0;
  unsigned long long bytes = 0;
  double milliseconds = 0;
  float shortest = 0;  // of one launch; 0 where none was measured
};

struct measured {
  const char *kernel;
  cudaEvent_t begin, end;
};

constexpr int transfer_kinds = 4;
const char *const transfer_names[transfer_kinds] = {"host_to_device", "device_to_host", "values_to_device",
                                                    "values_to_host"};
const char *const transfer_words[transfer_kinds] = {"host -> device", "device -> host", "host -> device (value)",
                                                    "device -> host (value)"};

const char *const profile_words[transfer_kinds] = {"to device", "to host", "values to device", "values to host"};

class trace {
 public:
  trace() {
    const char *const value = std::getenv("HFPY_TRACE");
    const std::string wanted = value == nullptr ? "" : value;
    if (wanted.empty() || wanted == "0") return;
    on_ = true;
    lines_ = wanted == "1";
    if (wanted.rfind("json:", 0) == 0) {
      json_path_ = wanted.substr(std::strlen("json:"));
    } else if (!lines_ && wanted != "summary") {
      hfd_fail("HFPY_TRACE", nullptr, "'%s' is none of 1, summary, json:PATH", value);
    }
  }

  bool on() const { return on_; }

  void add_transfer(hfpy::transfer kind, std::size_t bytes, const char *name, const char *where) {
    const int k = static_cast<int>(kind);
    totals_[k].add(bytes);
    if (kind == hfpy::transfer::array_in || kind == hfpy::transfer::array_out) arrays_[name][k].add(bytes);
    if (lines_) std::fprintf(stderr, "hfpy: %s: %s '%s', %zu bytes\n", where, transfer_words[k], name, bytes);
  }

  void add_device(int device, int count, const hfpy::rank &by) {
    if (!lines_ || (count == 1 && by.told_by == nullptr)) return;
    std::fprintf(stderr, "hfpy: device %d of %d", device, count);
    if (by.told_by != nullptr) std::fprintf(stderr, ", for rank %d on this machine (%s)", by.number, by.told_by);
    std::fputc('\n', stderr);
  }

  void begin_launch(const char *kernel, const char *where, std::size_t bytes) {
    kernels_[kernel].bytes += bytes;
    const cudaStream_t queue = hfpy::work_queue();
    if (lines_) say_kernel(kernel, where);
    if (running_.size() >= most_running) collect();
    running_.push_back({kernel, event(), event()});
    (void)cudaEventRecord(running_.back().begin, queue);
  }

  void end_launch(const char *kernel) {
    ++kernels_[kernel].launches;
    (void)cudaEventRecord(running_.back().end, hfpy::work_queue());
  }

  void report(std::FILE *file) {
    collect();
    for (int k = 0; k < transfer_kinds; ++k) {
      std::fprintf(file, "hfpy: %-22s %8lld copies %14llu bytes\n", transfer_words[k], totals_[k].count,
                   totals_[k].bytes);
    }
    for (const auto &[kernel, time] : kernels_) {
      std::fprintf(file, "hfpy: kernel %s: %lld launches, %.6f s\n", kernel.c_str(), time.launches,
                   time.milliseconds / 1000);
    }
    if (hfpy::queues_used() > 1) {
      std::fprintf(file, "hfpy: %zu queues, %lld waits between them\n", hfpy::queues_used(),
                   hfpy::waits_between_queues());
    }
  }

  // What HFPY_TRACE asks for when the program ends.
  void finish() {
    if (json_path_.empty()) return report(stderr);
    std::FILE *const file = std::fopen(json_path_.c_str(), "w");
    if (file == nullptr) {
      std::fprintf(stderr, "hfpy: HFPY_TRACE: '%s' cannot be written\n", json_path_.c_str());
      return;
    }
    write_json(file);
    std::fclose(file);
  }

 private:
  // Work that is in the first queue, or in the only one, needs no number.
  static void say_kernel(const char *kernel, const char *where) {
    std::fprintf(stderr, "hfpy: %s: kernel %s", where, kernel);
    if (hfpy::work_number() > 1) std::fprintf(stderr, " in queue %d", hfpy::work_number());
    std::fputc('\n', stderr);
  }

  static constexpr std::size_t most_running = 512;

  cudaEvent_t event() {
    cudaEvent_t made = nullptr;
    if (idle_.empty()) {
      hfpy::check(cudaEventCreate(&made), "HFPY_TRACE", "creating", "an event");
      return made;
    }
    made = idle_.back();
    idle_.pop_back();
    return made;
  }

  // Reads the times of the launches that have not been read yet. After an error of the device there are none.
  void collect() {
    for (const measured &launch : running_) {
      float milliseconds = 0;
      if (cudaEventSynchronize(launch.end) == cudaSuccess &&
          cudaEventElapsedTime(&milliseconds, launch.begin, launch.end) == cudaSuccess) {
        kernel_time &time = kernels_[launch.kernel];
        time.milliseconds += milliseconds;
        if (time.shortest == 0 || milliseconds < time.shortest) time.shortest = milliseconds;
      }
      idle_.push_back(launch.begin);
      idle_.push_back(launch.end);
    }
    running_.clear();
  }

  void write_json(std::FILE *file) {
    collect();
    std::fprintf(file, "{\n");
    for (int k = 0; k < transfer_kinds; ++k) {
      std::fprintf(file, "  \"%s\": {\"count\": %lld, \"bytes\": %llu},\n", transfer_names[k], totals_[k].count,
                   totals_[k].bytes);
    }
    std::fprintf(file, "  \"queues\": {\"count\": %zu, \"waits\": %lld},\n", hfpy::queues_used(),
                 hfpy::waits_between_queues());
    std::fprintf(file, "  \"arrays\": {");
    const char *separator = "\n";
    for (auto &[name, counters] : arrays_) {
      std::fprintf(file, "%s    \"%s\": {\"to_device\": %lld, \"to_host\": %lld}", separator, name.c_str(),
                   counters[static_cast<int>(hfpy::transfer::array_in)].count,
                   counters[static_cast<int>(hfpy::transfer::array_out)].count);
      separator = ",\n";
    }
    std::fprintf(file, "\n  },\n  \"kernels\": {");
    separator = "\n";
    for (const auto &[kernel, time] : kernels_) {
      std::fprintf(file, "%s    \"%s\": {\"launches\": %lld, \"seconds\": %.9f, \"shortest\": %.9f, \"bytes\": %llu}",
                   separator, kernel.c_str(), time.launches, time.milliseconds / 1000,
                   static_cast<double>(time.shortest) / 1000, time.bytes);
      separator = ",\n";
    }
    std::fprintf(file, "\n  }\n}\n");
  }

  bool on_ = false;
  bool lines_ = false;
  std::string json_path_;
  counter totals_[transfer_kinds];
  std::map<std::string, std::map<int, counter>> arrays_;
  std::map<std::string, kernel_time> kernels_;
  std::vector<measured> running_;
  std::vector<cudaEvent_t> idle_;
};

void at_end();

// Never destroyed, since it is needed until the very end of the program.
trace &the_trace() {
  static trace *const only = [] {
    trace *const made = new trace;
    if (made->on()) std::atexit(at_end);
    return made;
  }();
  return *only;
}

void at_end() { the_trace().finish(); }

}  // namespace

namespace hfpy {

bool tracing() {
  static const bool on = the_trace().on();
  return on;
}

copying::copying(transfer kind, std::size_t bytes, const char *name, const char *where)
    : kind_(kind), bytes_(bytes), name_(name), since_(hfq_clock == nullptr ? 0 : hfq_clock()) {
  if (tracing()) the_trace().add_transfer(kind, bytes, name, where);
}

copying::~copying() {
  if (hfq_copied != nullptr) hfq_copied(name_, profile_words[static_cast<int>(kind_)], bytes_, since_);
}

void trace_device(int device, int count, const rank &by) { the_trace().add_device(device, count, by); }

void trace_launch_begins(const char *kernel, const char *where, size_t bytes) {
  the_trace().begin_launch(kernel, where, bytes);
}

void trace_launch_ends(const char *kernel) { the_trace().end_launch(kernel); }

void trace_report(std::FILE *file) {
  if (tracing()) {
    the_trace().report(file);
  } else {
    std::fprintf(file, "hfpy: nothing was counted: HFPY_TRACE is not set\n");
  }
}

}  // namespace hfpy

/* hfpy_device.h: the device memory of programs made by hfpy, as C functions.
 *
 * Host arrays stay the handles: a table maps their addresses to device memory. `name` is an array's Fortran name and
 * `where` a place such as "physics.h90:42", for messages. Any fault ends the program with a message and status 3. Several
 * host threads may call: one waits for the other, a launch from its first function to its last. All work on the device
 * has the results that it would have in the order of the calls; pieces that share no data may run at the same time
 * (hfpy_queues.hpp).
 *
 * Environment: HFPY_TRACE=1 prints the device, each copy and launch, and a summary at the end; HFPY_TRACE=summary only that;
 * HFPY_TRACE=json:PATH writes it as JSON. HFPY_SYNC=1 waits for each kernel, so that an error names the right one.
 * HFPY_QUEUES=1 does all work in the order of the calls; a larger number allows so many pieces at a time.
 */
#ifndef HFPY_DEVICE_H
#define HFPY_DEVICE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- What generated Fortran calls (module hfpy_device) --- */

/* Counts one more user of [host, host+bytes). The first one gets device memory, filled from the host if copy_in. A
 * range inside one that is already there counts as a user of that and copies nothing. Ranges that overlap in part become
 * one, with the values that are there already; memory that was adopted cannot (an error). */
void hfd_enter(const void *host, size_t bytes, int copy_in, const char *name, const char *where);

/* Counts one user less. The last one copies the range back if copy_out and gives the device memory back. */
void hfd_leave(const void *host, size_t bytes, int copy_out, const char *name, const char *where);

/* Copies between host and device. The range, or one that holds it, must be there. */
void hfd_update_host(const void *host, size_t bytes, const char *name, const char *where);
void hfd_update_device(const void *host, size_t bytes, const char *name, const char *where);

/* The same for all that is there of a range: all of it, none, or parts that were brought there one by one. */
void hfd_update_parts(const void *host, size_t bytes, int to_host, const char *name, const char *where);

/* Whether all of the range is on the device (1 or 0). */
int hfd_present(const void *host, size_t bytes);

/* What was brought there from one address belongs to a host array that lies elsewhere now, perhaps of another size: its
 * users stay, but for `fewer`, and its values come from the host; if it still lies there, only if `update` says so.
 * Nothing happens if it was not there. */
void hfd_move(const void *was, const void *host, size_t bytes, int update, int fewer, const char *name,
              const char *where);

/* Gives back all that begins in a range, or at its first byte, whoever uses it: the host memory is about to go. */
void hfd_forget(const void *host, size_t bytes);

/* Before a call that may free the memory of a host array: it leaves the device with its values, as a whole or in parts,
 * whoever uses it. 0 if nothing was there, else a number for the call below. */
int64_t hfd_set_aside(const void *host, size_t bytes, const char *name, const char *where);

/* After the call: 1 if the array lies where it did, and is there again for its users; else 0, and what it was before is
 * in `was` and `was_bytes`. The number is spent. */
int hfd_take_back(int64_t number, const void *host, size_t bytes, const void **was, size_t *was_bytes, const char *name,
                  const char *where);

/* How many bytes of what is on the device lie behind an address; 0 if it is not there. */
size_t hfd_bytes_from(const void *host);

/* Memory of somebody else's on the device means itself: it is there until hfd_disown, and is never copied. The same
 * range may be adopted several times. */
void hfd_adopt(void *device, size_t bytes, const char *name);
void hfd_disown(const void *device, size_t bytes);

/* A few bytes on the device that hold nothing, for kernels that only ask whether there is an array. */
void *hfd_nothing(const char *where);

/* The device address of a range. `kernel` may be null. The result is null for an empty range. */
void *hfd_pointer(const void *host, size_t bytes, const char *name, const char *kernel, const char *where);

/* The same for an array that may have gaps, as its C descriptor (ISO_Fortran_binding.h) tells: the device address of its
 * first element (null for an array without elements), and by how many elements of so many bytes the indices of each dimension are
 * apart. The result is 1 if there are gaps. */
int hfd_section(const void *descriptor, size_t element, void **device, long long *distances, const char *name,
                const char *kernel, const char *where);

/* Where an array is that comes as a C descriptor; null if it is not there, or was not given. */
const void *hfd_base(const void *descriptor);

/* Waits until all work on the device is done. */
void hfd_synchronise(void);

/* Bytes a second that the device reads and writes while it copies its own memory; 0 in emulation, before the first work on
 * the device, and where there is no room for that. */
double hfd_copy_rate(void);

/* Chooses the device: the rank on this machine modulo the number of devices. Without this call the first work on the
 * device does the same with the rank that the launcher of the MPI program tells, if any. */
void hfd_init_device(int local_rank);

/* Prints what HFPY_TRACE has counted so far. */
void hfd_report(FILE *file);

/* --- What launchers use (hfpy_launch.hpp) --- */

/* Prints "hfpy: WHERE: kernel KERNEL: MESSAGE" (kernel may be null) and ends the program with status 3. */
__attribute__((noreturn, format(printf, 3, 4))) void hfd_fail(
    const char *where, const char *kernel, const char *message, ...);

/* One host thread at a time goes on between these; it may lock several times. */
void hfd_lock(void);
void hfd_unlock(void);

/* Device memory that belongs to no host array. */
void *hfd_take(size_t bytes, const char *name, const char *where);
void hfd_give(void *device);

/* Copies of single values and partial results, counted apart from arrays. The second one waits for the device. */
void hfd_values_in(void *device, const void *host, size_t bytes, const char *name, const char *where);
void hfd_values_out(void *host, const void *device, size_t bytes, const char *name, const char *where);

/* Around one piece of work for the device, a launch with its workspaces. In between, what it uses on the device is named
 * before the queue (a cudaStream_t) is asked for. Memory that is taken, filled, read and given back meanwhile is so in this queue. */
void hfd_work_begins(const char *where);
void hfd_work_uses(const void *device, int writes);
void hfd_work_prefers(int queue); /* from 1 on: the user's number */
void *hfd_work_queue(void);
void hfd_work_ends(void);

/* Around each launch: measures it under HFPY_TRACE, checks for errors; other host threads wait. `bytes` are those of the arrays that the kernel
 * reads or writes, each counted once a direction: what must move if every element is used once. */
void hfd_launch_begins(const char *kernel, const char *where, size_t bytes);
void hfd_launch_ends(const char *kernel, const char *where);

/* Around a region of OpenACC or OpenMP that works on this memory. Its runtime has streams of its own: the first one
 * waits for all work on the device; the region itself has ended when its last statement has. In between, hfd_region_data
 * gives the device address of a range; with `openacc` that address is also made known to OpenACC, as present. Other host
 * threads wait. */
void hfd_region_begins(const char *region, const char *where, int openacc);
void *hfd_region_data(const void *host, size_t bytes, const char *name, const char *region, const char *where);
void hfd_region_ends(const char *region, const char *where);

/* Calls visit for each host range on the device. */
void hfd_each_host_range(void (*visit)(const void *host, size_t bytes));

#ifdef __cplusplus
}
#endif

#endif

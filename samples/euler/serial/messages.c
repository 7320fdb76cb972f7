/* MPI for one process, as Fortran calls it: messages go from the process to itself. They are delivered by
   mpi_waitall, as late as the standard allows. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static struct {
  void *where;
  size_t bytes;
  int tag, receives;
} posted[MOST];
static int number;

static void post(void *where, size_t bytes, int tag, int receives, int *request, int *error)
{
  if (number == MOST) {
    fprintf(stderr, "mpi: more than %d messages on their way\n", MOST);
    exit(1);
  }
  posted[number].where = where;
  posted[number].bytes = bytes;
  posted[number].tag = tag;
  posted[number].receives = receives;
  *request = number++;
  *error = 0;
}

void mpi_irecv_(void *buffer, const int *count, const int *type, const int *source, const int *tag,
                const int *communicator, int *request, int *error)
{
  (void)source, (void)communicator;
  post(buffer, (size_t)*count * (size_t)*type, *tag, 1, request, error);
}

void mpi_isend_(void *buffer, const int *count, const int *type, const int *destination, const int *tag,
                const int *communicator, int *request, int *error)
{
  (void)destination, (void)communicator;
  post(buffer, (size_t)*count * (size_t)*type, *tag, 0, request, error);
}

void mpi_waitall_(const int *count, int *requests, int *statuses, int *error)
{
  (void)count, (void)requests, (void)statuses;
  for (int to = 0; to < number; ++to)
    for (int from = 0; from < number; ++from)
      if (posted[to].receives && !posted[from].receives && posted[from].tag == posted[to].tag)
        memcpy(posted[to].where, posted[from].where, posted[to].bytes);
  number = 0;
  *error = 0;
}

void mpi_allreduce_(const void *mine, void *all, const int *count, const int *type, const int *operation,
                    const int *communicator, int *error)
{
  (void)operation, (void)communicator;
  memcpy(all, mine, (size_t)*count * (size_t)*type);
  *error = 0;
}

void mpi_init_(int *error) { *error = 0; }

void mpi_comm_rank_(const int *communicator, int *rank, int *error)
{
  (void)communicator;
  *rank = 0;
  *error = 0;
}

void mpi_comm_size_(const int *communicator, int *size, int *error)
{
  (void)communicator;
  *size = 1;
  *error = 0;
}

void mpi_barrier_(const int *communicator, int *error)
{
  (void)communicator;
  *error = 0;
}

void mpi_abort_(const int *communicator, const int *code, int *error)
{
  (void)communicator, (void)error;
  exit(*code);
}

void mpi_finalize_(int *error) { *error = 0; }

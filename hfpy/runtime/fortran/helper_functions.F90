! What programs need besides their own: start-up on several processes, files, times.
module helper_functions
  use, intrinsic :: iso_c_binding, only: c_double, c_int
#ifdef _OPENMP
  use omp_lib, only: omp_get_max_threads, omp_get_wtime, omp_set_num_threads
#endif
#if defined(USE_MPI) && defined(GPU) && defined(_OPENMP)
  use omp_lib, only: omp_get_num_devices, omp_set_default_device
#endif
#if defined(USE_MPI) && defined(GPU) && defined(_OPENACC)
  use openacc, only: acc_get_device_type, acc_get_num_devices, acc_set_device_num
#endif
#if defined(USE_MPI) && defined(GPU) && defined(_CUDA)
  use cudafor, only: cudaGetDeviceCount, cudaSetDevice
#endif
  use hf_files, only: findNewFileHandle, open_for_writing
  use hf_ordered_integer4, only: ordered_integer4 => write_k_first, writeInOrder
  use hf_ordered_integer8, only: ordered_integer8 => write_k_first, writeInOrder
  use hf_ordered_logical, only: ordered_logical => write_k_first, writeInOrder
  use hf_ordered_real4, only: ordered_real4 => write_k_first, writeInOrder
  use hf_ordered_real8, only: writeInOrder, write3DToFile => write_k_first, &
    write3DToFile_n3StartsAt => write_k_first_from
  use hf_ranks, only: local_rank, local_size
  use hf_write_integer4, only: writeToFile
  use hf_write_integer8, only: writeToFile
  use hf_write_logical, only: writeToFile
  use hf_write_real4, only: writeToFile
  use hf_write_real8, only: writeToFile
  implicit none
  private
  public :: init_helper, init_hf, printHeading, findNewFileHandle, print1D
  public :: writeToFile, writeInOrder, write1DToGenericFile
  public :: write1DToFile, write2DToFile, write3DToFile, write3DToFile_n3StartsAt
  public :: getTime, getElapsedTime, printElapsedTime

  ! Besides the array alone, which is written as it is: with its logical sizes, written in logical order.
  interface writeToFile
    procedure :: write1DToFile, write2DToFile, write3DToFile
    procedure :: ordered_real4, ordered_integer4, ordered_integer8, ordered_logical
  end interface

  integer, save :: generic_files = 0

contains

  ! Begin to count anew.
  subroutine init_helper()
    generic_files = 0
  end subroutine

  ! At the start of a program: each of several processes on a machine takes its device and its share of the threads.
  subroutine init_hf()
    write (0, '(a)') '*** Hybrid Fortran, built by hfpy ***'
#ifdef GPU
    write (0, '(a)') 'GPU Implementation'
#else
    write (0, '(a)') 'CPU Implementation'
#endif
#ifdef USE_MPI
    call choose_device()
    call share_threads()
#endif
  end subroutine

  ! What projects of earlier versions call at their start: they have one process.
  subroutine printHeading()
    call init_hf()
  end subroutine

#ifdef USE_MPI
  ! For CUDA Fortran, OpenACC and OpenMP; the runtime of kernels in CUDA C does the same by itself.
  subroutine choose_device()
#if defined(GPU) && (defined(_OPENACC) || defined(_CUDA) || defined(_OPENMP))
    integer :: devices
#endif
#if defined(GPU) && defined(_CUDA)
    integer :: status

    status = cudaGetDeviceCount(devices)
    if (status == 0 .and. devices > 0) status = cudaSetDevice(mod(local_rank(), devices))
#elif defined(GPU) && defined(_OPENACC)

    devices = acc_get_num_devices(acc_get_device_type())
    if (devices > 0) call acc_set_device_num(mod(local_rank(), devices), acc_get_device_type())
#endif
#if defined(GPU) && defined(_OPENMP)
    devices = omp_get_num_devices()
    if (devices > 0) call omp_set_default_device(mod(local_rank(), devices))
#endif
  end subroutine

  ! Nobody who has set the number of threads wants another.
  subroutine share_threads()
#ifdef _OPENMP
    integer :: length, status

    call get_environment_variable('OMP_NUM_THREADS', length=length, status=status)
    if (status /= 0 .or. length == 0) call omp_set_num_threads(max(1, omp_get_max_threads() / local_size()))
#endif
  end subroutine
#endif

  subroutine print1D(array, n)
    integer(4), intent(in) :: n
    real(8), intent(in) :: array(n)

    write (0, *) array
  end subroutine

  subroutine write1DToFile(path, array, n, opt_endian)
    character(*), intent(in) :: path
    integer(4), intent(in) :: n
    real(8), intent(in) :: array(n)
    character(*), intent(in), optional :: opt_endian
    integer(4) :: unit

    call open_for_writing(path, unit, opt_endian)
    write (unit) array
    close (unit)
  end subroutine

  subroutine write2DToFile(path, array, n1, n2, opt_endian)
    character(*), intent(in) :: path
    integer(4), intent(in) :: n1, n2
    real(8), intent(in) :: array(n1, n2)
    character(*), intent(in), optional :: opt_endian
    integer(4) :: unit

    call open_for_writing(path, unit, opt_endian)
    write (unit) array
    close (unit)
  end subroutine

  ! For C: writes ./output000.dat, ./output001.dat and so on. The length is passed by reference.
  subroutine write1DToGenericFile(array, n) bind(c, name='write1DToGenericFile')
    integer(c_int), intent(in) :: n
    real(c_double), intent(in) :: array(n)
    character(len=20) :: path

    write (path, '(a, i3.3, a)') './output', generic_files, '.dat'
    generic_files = generic_files + 1
    call write1DToFile(path, array, n)
  end subroutine

  ! A time in seconds since some moment: of the clock on the wall with OpenMP, of the processor without.
  subroutine getTime(time)
    real(8), intent(out) :: time

#if defined(_OPENMP) && !defined(CTIME)
    time = omp_get_wtime()
#else
    call cpu_time(time)
#endif
  end subroutine

  subroutine getElapsedTime(start, elapsed)
    real(8), intent(in) :: start
    real(8), intent(out) :: elapsed
    real(8) :: now

    call getTime(now)
    elapsed = now - start
  end subroutine

  subroutine printElapsedTime(start, prefix)
    real(8), intent(in) :: start
    character(*), intent(in) :: prefix
    real(8) :: elapsed

    call getElapsedTime(start, elapsed)
    write (0, '(a, 1x, es12.5, a)') trim(prefix), elapsed, ' s'
  end subroutine

end module helper_functions

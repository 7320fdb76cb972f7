!> Stencil kernels of two weather models, each run once, or many times to see how long a call takes.
!>
!>   stencils [FILE [NX NY NZ [KERNEL|all [CALLS [waves]]]]]
!>
!> Of every result the program prints the sum, the sum of absolute values, and the values at three points; FILE has
!> the results in full, unless it is "-". With more than one call there is a line with the fastest and the median time
!> in seconds, the first call left out. The fields are hashed numbers, or waves.
program stencils
  use fields, only: close_results, open_results, waves
  use runs, only: kernels, run
  implicit none

  character(len=256) :: file, kernel, text
  integer :: sizes(3), nx, ny, calls, n

  file = "stencils.dat"
  kernel = "all"
  sizes = [16, 16, 8]
  calls = 1
  if (command_argument_count() > 0) call get_command_argument(1, file)
  do n = 1, min(3, command_argument_count() - 1)
    call get_command_argument(n + 1, text)
    read(text, *) sizes(n)
  end do
  if (command_argument_count() > 4) call get_command_argument(5, kernel)
  if (command_argument_count() > 5) then
    call get_command_argument(6, text)
    read(text, *) calls
  end if
  if (command_argument_count() > 6) then
    call get_command_argument(7, text)
    waves = text == "waves"
  end if

  nx = sizes(1); ny = sizes(2)
  !@decomposition{domName(i,j), global(sizes(1),sizes(2)), local(nx,ny), halo(i:4, j:4)}
  call open_results(trim(file), sizes(1), sizes(2), sizes(3))
  do n = 1, size(kernels)
    if (kernel == "all" .or. kernel == kernels(n)) call run(trim(kernels(n)), nx, ny, sizes(3), calls)
  end do
  if (kernel /= "all" .and. .not. any(kernel == kernels)) call run(trim(kernel), nx, ny, sizes(3), calls)
  call close_results()
end program stencils

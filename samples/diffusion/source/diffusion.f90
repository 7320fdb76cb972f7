!> Diffusion of heat, checked against the exact solution.
!>
!>   diffusion [FILE [NX NY NZ [NSTEPS]]]
program diffusion
  use heat, only: r8
  use box, only: run_box
  implicit none

  character(len=256) :: file
  integer :: sizes(4), n
  character(len=32) :: text
  real(r8) :: rms

  file = "diffusion.dat"
  sizes = [96, 80, 72, 600]
  if (command_argument_count() > 0) call get_command_argument(1, file)
  do n = 1, min(4, command_argument_count() - 1)
    call get_command_argument(n + 1, text)
    read(text, *) sizes(n)
  end do

  call run_box(trim(file), sizes(1), sizes(2), sizes(3), sizes(4), rms)
  write(*, "(a,es12.5,a)") "RMS error ", rms, " of the exact solution's own size"
  if (.not. rms < 5.0e-2_r8) then
    write(*, "(a)") "diffusion: the error is too large"
    stop 1
  end if
  write(*, "(a)") "test ok"
end program diffusion

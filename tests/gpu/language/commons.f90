! routines that kernels call read common blocks: names that differ, levels of calls, arrays with lower bounds, blocks
! that the region's routine declares or not, values that change between regions
module commons
  implicit none
contains
  subroutine run()
    integer, parameter :: n = 7, m = 5
    real(8) :: a(n,m)
    real(8) :: gravity, profile(0:3,2), cube(-1:1,2,0:1)
    integer :: order
    logical :: wet, dry
    complex(8) :: wave
    character(len=1) :: letter
    integer :: kind_of_run
    real(8) :: weights(0:4)
    integer :: i, j, step
    common /commons_state/ gravity, profile, order, wet, letter, dry, wave, cube
    common /commons_other/ kind_of_run, weights
    letter = 'x'
    do j = 1, m
      do i = 1, n
        a(i,j) = i + 0.25d0*j
      end do
    end do
    do step = 1, 3
      gravity = 9.5d0 + step
      do j = 1, 2
        do i = 0, 3
          profile(i,j) = i*step - 0.5d0*j
          if (i < 3) cube(i-1,j,mod(step, 2)) = 10*i + j + step
          if (i < 3) cube(i-1,j,mod(step + 1, 2)) = -i - j
        end do
      end do
      order = step
      wet = step /= 2
      dry = .not. wet
      wave = cmplx(step, -0.5d0*step, 8)
      kind_of_run = 4 - step
      weights = [(0.125d0*i*step, i = 1, 5)]
      call commons_step(n, m, a)
      print '(5es22.14)', a
      call commons_change(step)
      call commons_both(n, m, a)
      print '(5es22.14)', a
      call commons_here(n, m, a)
      print '(5es22.14)', a
    end do
  end subroutine run
end module commons

! the blocks are declared nowhere in this routine
subroutine commons_step(n, m, a)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n,m)
  integer :: i, j
  external commons_point
  !@parallelRegion{domName(i,j), domSize(n,m)}
  do j = 1, m
    do i = 1, n
      call commons_point(i, j, a(i,j))
    end do
  end do
  !@end parallelRegion
end subroutine commons_step

! other names for the same storage, of which the dummy arguments of what is called have some, too
subroutine commons_both(n, m, a)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n,m)
  real(8) :: x, i_of(0:3,2), c(-1:1,2,0:1)
  integer :: k
  logical :: w, d
  character(len=1) :: text
  complex(8) :: z
  common /commons_state/ x, i_of, k, w, text, d, z, c
  integer :: i, j
  external commons_point
  if (text /= 'x') print *, 'lost'
  !@parallelRegion{domName(i,j), domSize(n,m)}
  do j = 1, m
    do i = 1, n
      if (w) a(i,j) = a(i,j) + x*i_of(mod(i, 4), 1) + real(z) + c(-1,2,1)
      call commons_point(i, j, a(i,j))
    end do
  end do
  !@end parallelRegion
  c(0,1,:) = c(0,1,:) + 3
  k = k + 1
  z = 2*z
  !@parallelRegion{domName(i,j), domSize(n,m)}
  do j = 1, m
    do i = 1, n
      call commons_point(i, j, a(i,j))
      if (d) a(i,j) = a(i,j) - c(0,1,0)
    end do
  end do
  !@end parallelRegion
end subroutine commons_both

! a region that sets its own element of a member that the called function reads at the same place
subroutine commons_here(n, m, a)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n,m)
  real(8) :: field(7,5), given
  common /commons_field/ field, given
  real(8), external :: commons_near
  integer :: i, j
  given = a(2,2)
  !@parallelRegion{domName(i,j), domSize(n,m)}
  do j = 1, m
    do i = 1, n
      field(i,j) = a(i,j) + i
      a(i,j) = commons_near(i, j) + 0.5d0*field(i,j)
    end do
  end do
  !@end parallelRegion
  given = sum(field)
  !@parallelRegion{domName(i,j), domSize(n,m)}
  do j = 1, m
    do i = 1, n
      a(i,j) = a(i,j) + 0.001d0*commons_near(i, j)
    end do
  end do
  !@end parallelRegion
end subroutine commons_here

real(8) function commons_near(i, j)
  implicit none
  integer, intent(in) :: i, j
  real(8) :: f(7,5), g
  common /commons_field/ f, g
  commons_near = f(i,j)/4 + 0.01d0*g
end function commons_near

subroutine commons_change(step)
  implicit none
  integer, intent(in) :: step
  integer :: mode
  real(8) :: w(0:4), g
  common /commons_other/ mode, w
  common /commons_state/ g
  mode = mode + 1
  w(step) = w(step) - 7
  g = g + w(0)
end subroutine commons_change

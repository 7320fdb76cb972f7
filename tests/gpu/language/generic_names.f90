! Generic names in kernels: which procedure is meant is told by the arguments as they are in the text.
module kinds
  implicit none
  type surface
    real(8) :: t = 1
    real(8) :: w(3) = 2
  end type
  type, extends(surface) :: wet
    real(8) :: q = 3
  end type
end module
module heat
  use kinds
  implicit none
  private
  public :: warm, mean, update
  private :: warm_surface
  interface warm
    module procedure warm_surface, warm_number, warm_all, warm_column
  end interface
  interface mean
    module procedure mean_w, mean_n, mean_s, mean_wet
  end interface
  interface update
    module procedure update1
  end interface
contains
  elemental subroutine warm_surface(s, dt)
    type(surface), intent(inout) :: s
    real(8), intent(in) :: dt
    s%t = s%t + dt
  end subroutine
  subroutine warm_number(s, dt)
    real(8), intent(inout) :: s
    real(8), intent(in) :: dt
    s = s + 100*dt
  end subroutine
  subroutine warm_all(s, dt)
    type(surface), intent(inout) :: s(:)
    real(8), intent(in) :: dt
    integer :: k
    do k = 1, size(s)
      call warm(s(k), dt*k)
    end do
  end subroutine
  subroutine warm_column(x, dt)
    real(8), intent(inout) :: x(:)
    real(8), intent(in) :: dt
    x(:) = x(:) + dt
  end subroutine
  elemental real(8) function mean_w(s)
    type(surface), intent(in) :: s
    mean_w = sum(s%w)/3 + s%t
  end function
  elemental real(8) function mean_n(s)
    real(8), intent(in) :: s
    mean_n = -s
  end function
  elemental real(8) function mean_wet(s)
    type(wet), intent(in) :: s
    mean_wet = s%w(3) + mean(s%surface)
  end function
  elemental real(8) function mean_s(s)
    integer, intent(in) :: s
    mean_s = -s
  end function
  subroutine update1(s, x)
    type(surface), intent(inout) :: s
    real(8), intent(out) :: x
    call warm(s, 0.25d0)
    call warm(s%w(2), 0.25d0)
    x = mean(s) + mean(s%w(1)) + mean(3)
  end subroutine
end module
module generic_names
  implicit none
contains
  subroutine run
    use kinds
    use heat
    type(surface) :: cities(5,6), row(4,5)
    type(surface) :: tmp
    real(8) :: x(5,6)
    integer :: i, j
    !@parallelRegion
    do j = 1, 6
      do i = 1, 5
        cities(i,j)%t = i + 0.1d0*j
        call warm(cities(i,j), 0.5d0)
        if (mod(i,2) == 0) call warm(cities(i,j)%t, 0.01d0)
        tmp = cities(i,j)
        call warm(tmp, mean(cities(i,j)))
        call update(cities(i,j), x(i,j))
        call warm(cities(i,j)%w, 0.125d0)
        x(i,j) = x(i,j) + tmp%t + mean(tmp)
      end do
    end do
    !@parallelRegion
    do j = 1, 5
      call warm(row(:,j), 0.5d0*j)
    end do
    print *, cities(3,4)%t, cities(2,5)%w, sum(x), x(2,3)
    print *, row%t
  end subroutine run
end module generic_names

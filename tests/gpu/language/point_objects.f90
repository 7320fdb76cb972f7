! objects of each point, and assignments of whole objects: nested types, constructors, arrays in private objects
module point_objects
  implicit none
  type pair
    real(8) :: x, y
  end type
  type grain
    type(pair) :: r, v
    integer :: k
    logical :: on
  end type
  type profile
    real(8) :: w(0:3), total
    complex(8) :: phase
  end type
contains
  subroutine run()
    type(grain) :: p(8), q(0:7)
    real(8) :: a(8)
    integer :: i, m(8)
    do i = 1, 8
      p(i) = grain(pair(i*1.5d0, 2d0-i), pair(0.1d0*i, i*i*1d0), i, mod(i,2) == 0)
      q(i-1) = grain(pair(0d0, 0d0), pair(0d0, 0d0), 0, .false.)
      a(i) = i
      m(i) = 9 - i
    end do
    call move(8, p, q, a, m)
    do i = 1, 8
      print '(5es16.8,i5,l2)', a(i), q(i-1)%r, q(i-1)%v, q(i-1)%k, q(i-1)%on
    end do
  end subroutine run

  subroutine move(n, p, q, a, m)
    integer, intent(in) :: n, m(n)
    type(grain), intent(in) :: p(n)
    type(grain), intent(inout) :: q(0:n-1)
    real(8), intent(inout) :: a(n)
    type(grain) :: t, u
    type(pair) :: w
    type(profile) :: c, d
    integer :: i, j
    !@parallelRegion
    do i = 1, n
      t = p(m(n+1-i))
      if (t%on) t%r = t%v
      w = t%v
      u = t
      u%r%x = u%r%x + w%y*t%k
      if (mod(i, 3) == 0) u = p(i)
      u%v = w
      q(i-1) = u
      q(i-1)%k = m(u%k)
      if (i == 5) q(i-1)%r = p(i)%v
      w = pair(y=t%v%x, x=2*i)
      a(i) = a(i) + u%r%x*t%r%y + merge(w%x, w%y, u%on)
    end do
    !@parallelRegion
    do i = 1, n
      w = p(i)%r
      c%w = w%x
      c%w(2:) = [w%y, 3d0]
      c%total = 0
      do j = 0, 3
        c%total = c%total + c%w(j)*j
      end do
      c%phase = cmplx(w%x, w%y, 8)
      d = profile(c%w, c%total, c%phase)
      d%w(1) = d%w(1) + d%phase%im
      a(i) = a(i) + d%total + sum(d%w)
    end do
  end subroutine move
end module point_objects

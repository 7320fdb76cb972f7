! host statements between kernels: whole arrays, elements, loops, branches, conditions, early ways out
module state_host
  implicit none
  integer, parameter :: n = 4, m = 3
contains
  subroutine run()
    real(8) :: a(n,m), b(n,m)
    integer :: k
    do k = 0, 5
      call fill(a, b)
      call top(a, b, k)
      print '(es24.16)', a, b
    end do
  end subroutine run
  subroutine fill(a, b)
    real(8), intent(out) :: a(n,m), b(n,m)
    integer :: i, j
    do j = 1, m; do i = 1, n
      a(i,j) = i + 0.1d0*j; b(i,j) = -i
    end do; end do
  end subroutine fill
  subroutine top(a, b, k)
    real(8), intent(inout) :: a(n,m), b(n,m)
    integer, intent(in) :: k
    call below(a, b, k)
    call partly(b)
    if (k == 5) return
    a(1,:) = 0
    call below(b, a, k)
  end subroutine top
  subroutine below(a, b, k)
    real(8), intent(inout) :: a(n,m), b(n,m)
    integer, intent(in) :: k
    real(8) :: s, w(n,m)
    integer :: i, x, y
    logical :: big
    w(1,1) = 3
    do y = 1, m; do x = 1, n
    w(x,y) = a(x,y)*2
    b(x,y) = b(x,y) + w(x,y)
    end do; end do
    if (k == 1) return
    if (b(1,1) > 100) then
      a = 0
    else if (b(2,1) > 2.d0) then
      a(2,:) = a(2,:) + 1
    end if
    if (k == 2) then
      b(3,3) = 17
      return
    end if
    do i = 1, n
      s = sum(b(i,:))
      if (s > 0) cycle
      b(i,1) = s
      if (i == 3) exit
    end do
    do i = 1, 2
      do y = 1, m; do x = 1, n
      a(x,y) = a(x,y) + b(x,y)*0.125d0
      end do; end do
      b(i,i) = a(i,i)
      if (a(1,2) > 1.d3) exit
    end do
    where (a > 3) b = 1
    call scale_host(a, 0.5d0)
    if (k == 3) call scale_host(b(:,2), 3.d0)
    w = w + 1
    big = any(w > 3)
    print *, big, maxval(a), count(b == 1)
    do y = 1, m; do x = 1, n
    a(x,y) = a(x,y) + w(x,y)
    end do; end do
    if (k == 4) return; a(1,1) = -1
  end subroutine below
  subroutine partly(b)
    real(8), intent(out) :: b(n,m)
    integer :: x, y
    do y = 1, m; do x = 2, n - 1
    b(x,y) = x*y
    end do; end do
  end subroutine partly
  subroutine scale_host(v, f)
    real(8), intent(inout) :: v(*)
    real(8), intent(in) :: f
    v(1:n) = v(1:n)*f
  end subroutine scale_host
end module state_host

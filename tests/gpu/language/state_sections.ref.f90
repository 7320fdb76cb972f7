! arrays on the device whose sections, with and without gaps, go to routines that bring them there
module state_sections
  implicit none
  integer, parameter :: n = 5, m = 4, l = 3
contains
  subroutine run()
    real(8), target :: a(n,m,l)
    real(8) :: b(n,m)
    real(8), pointer :: p(:,:)
    integer :: c(n,m), i, j, k
    logical(1) :: f(n,m)
    do k = 1, l
      do j = 1, m
        do i = 1, n
          a(i,j,k) = i + 0.1d0*j + 0.01d0*k
          b(i,j) = i - j
          c(i,j) = 10*i + j
          f(i,j) = mod(i + j, 2) == 0
        end do
      end do
    end do
    p => a(1:n:2,:,2)
    do i = 0, 2
      call top(a, b, c, f, p, i)
      print '(5es24.16)', a
      print '(5es24.16)', b
      print '(5i6)', c
      print '(5l3)', f
    end do
  end subroutine run

  subroutine top(a, b, c, f, p, turn)
    real(8), intent(inout), target :: a(n,m,l)
    real(8), intent(inout) :: b(n,m)
    integer, intent(inout) :: c(n,m)
    logical(1), intent(inout) :: f(n,m)
    real(8), pointer, intent(in) :: p(:,:)
    integer, intent(in) :: turn
    integer :: list(2), low, high
    real(8) :: s
    integer :: i, j
    low = 1 + turn
    high = n - turn
    list = [4, 2]
    do j = 1, m
    do i = 1, n
    a(i,j,:) = 2*a(i,j,:)
    c(i,j) = c(i,j) + 1
    f(i,j) = .not. f(i,j)
    end do
    end do
    ! one piece or not, as the numbers are
    call flat(n*m, a(:,:,2), 1.d0)
    call flat((high-low+1)*m, a(low:high,:,1), 2.d0)
    call flat((high-low+1)*m*l, a(low:high,1:m,1:l), 3.d0)
    call flat((n+1)/2*l, a(1:n:2,2,:), 4.d0)
    call flat(n, a(n:1:-1,1,1), 5.d0)
    if (turn == 1) call flat(2*l, a(2:3,m,:), 6.d0)
    if (turn > 5) call flat(n*m, a(:,:,turn), 7.d0)
    ! from one element on
    call numbers(n, c(1,3), f(1,3))
    call flat(l, a(list(2),list(1),:), 8.d0)
    ! what a pointer stands for
    call flat(size(p), p, 9.d0)
    call shaped(b(:,2))
    ! values that are in no array
    s = total(2, a(list,1,1)) + total(n, a(:,1,1)*2) + total(2, [a(1,1,1), a(2,2,2)])
    s = s + total(n, twice(a(:,2,2))) + total(n, (a(:,3,3)))
    a(1,1,1) = s
    ! whole numbers and truth values; a section that is only set
    call numbers(n, c(:,2), f(:,2))
    call numbers(2, c(2,1:3:2), f(2,1:3:2))
    call set(m, a(2,:,2), turn)
    do j = 1, m
    do i = 1, n
    a(i,j,:) = a(i,j,:) + 0.5d0
    c(i,j) = 2*c(i,j)
    end do
    end do
  end subroutine top

  subroutine flat(count, v, x)
    integer, intent(in) :: count
    real(8), intent(inout) :: v(count)
    real(8), intent(in) :: x
    integer :: i
    do i = 1, count
    v(i) = v(i) + x*i
    end do
  end subroutine flat

  subroutine shaped(v)
    real(8), intent(inout) :: v(:)
    integer :: i
    do i = 1, n
    v(i) = -v(i)
    end do
  end subroutine shaped

  real(8) function total(count, v)
    integer, intent(in) :: count
    real(8), intent(in) :: v(count)
    integer :: i
    total = 0
    do i = 1, count
    total = max(total, v(i))
    end do
  end function total

  function twice(v)
    real(8), intent(in) :: v(n)
    real(8) :: twice(n)
    twice = 2*v
  end function twice

  subroutine numbers(count, c, f)
    integer, intent(in) :: count
    integer, intent(inout) :: c(count)
    logical(1), intent(inout) :: f(count)
    integer :: i
    do i = 1, count
    if (f(i)) c(i) = c(i) + 1000
    f(i) = .not. f(i)
    end do
  end subroutine numbers

  subroutine set(count, v, turn)
    integer, intent(in) :: count, turn
    real(8), intent(out) :: v(count)
    integer :: i
    do i = 1, count
    v(i) = i*turn
    end do
  end subroutine set
end module state_sections

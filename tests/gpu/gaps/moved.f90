! Pointers to sections with gaps of arrays that are allocated anew, or may be.
module moved
  implicit none
  real(8), allocatable, target :: a(:)
  real(8), allocatable, target :: w(:,:)
contains
  subroutine grow(n)
    integer, intent(in) :: n
    real(8), pointer :: p(:)
    integer :: i
    p => a(2::2)
    !@parallelRegion{independent(p)}
    do i = 1, size(p)
      p(i) = p(i) + 10*i
    end do
    a = [a, (real(i, 8), i = 1, n)]
    p => a(1::3)
    !@parallelRegion{independent(p)}
    do i = 1, size(p)
      p(i) = p(i)*2
    end do
    call anew(a)
    p => a(2::2)
    !@parallelRegion{independent(p)}
    do i = 1, size(p)
      p(i) = p(i) - 1
    end do
    deallocate (a)
    allocate (a(5))
    a = 3
  end subroutine grow
  subroutine anew(b)
    real(8), allocatable, intent(inout) :: b(:)
    real(8), allocatable :: c(:)
    call move_alloc(b, c)
    allocate (b(size(c) + 4))
    b(:size(c)) = c
    b(size(c)+1:) = 0.5d0
    print *, 'anew', b
  end subroutine anew
  subroutine same(k)
    integer, intent(in) :: k
    real(8), pointer :: q(:,:)
    integer :: i, j
    q => w(1:3,:)
    !@parallelRegion{independent(q)}
    do j = 1, size(q, 2)
      do i = 1, size(q, 1)
        q(i,j) = q(i,j) + i*k
      end do
    end do
    w(4,:) = w(4,:) + k
    w = w(:,:)*1.5d0
    call peek(w)
    !@parallelRegion{independent(q)}
    do j = 1, size(q, 2)
      do i = 1, size(q, 1)
        q(i,j) = q(i,j) - j
      end do
    end do
  end subroutine same
  subroutine peek(b)
    real(8), allocatable, intent(inout) :: b(:,:)
    print *, 'peek', sum(b), b(1,2)
    b(2,2) = 100
    if (sum(b) < 0) deallocate (b)
  end subroutine peek
  subroutine run()
    integer :: i
    a = [(real(i, 8), i = 1, 7)]
    call grow(4)
    print *, a
    allocate (w(5,4))
    w = 1
    call same(2)
    print *, w
  end subroutine run
end module moved

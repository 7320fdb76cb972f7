! Pointers to sections with gaps, some of which share elements.
module pointed
  implicit none
  type state
    real(8), allocatable :: q(:,:,:)
    real(8), pointer :: part(:,:) => null()
  end type state
  type(state), target :: st
  real(8), target :: big(8,6)
  real(8), pointer :: view(:,:) => null()
contains
  subroutine advance(n)
    integer, intent(in) :: n
    real(8), pointer :: p(:,:), r(:)
    integer :: i, j, k
    do k = 1, n
      p => st%q(:,k,:)
      !@parallelRegion{independent(p)}
      do j = 1, size(p, 2)
        do i = 1, size(p, 1)
          p(i,j) = p(i,j) + 0.5d0*k
        end do
      end do
      r => p(2,:)
      !@parallelRegion{independent(r)}
      do i = 1, size(r)
        r(i) = r(i)*2 + i
      end do
    end do
  end subroutine
  subroutine parts(s)
    type(state), intent(inout) :: s
    integer :: i, j
    s%part => big(1:8:3,2:5)
    !@parallelRegion{independent(part)}
    do j = 1, size(s%part, 2)
      do i = 1, size(s%part, 1)
        s%part(i,j) = s%part(i,j)*3 - i
      end do
    end do
    s%part(1,1) = 0
    print *, 'part', s%part(:,2)
  end subroutine parts
  subroutine views()
    integer :: i, j
    real(8), pointer :: odd(:,:), even(:,:)
    odd => big(1::2,:)
    even => big(2::2,:)
    view => big(2:7,2:5)
    !@parallelRegion{independent(odd)}
    do j = 1, size(odd, 2)
      do i = 1, size(odd, 1)
        odd(i,j) = odd(i,j) + 1
      end do
    end do
    !@parallelRegion{independent(even)}
    do j = 1, size(even, 2)
      do i = 1, size(even, 1)
        even(i,j) = even(i,j) + odd(i,j)
      end do
    end do
    !@parallelRegion{independent(view)}
    do j = 1, size(view, 2)
      do i = 1, size(view, 1)
        view(i,j) = view(i,j)*2
      end do
    end do
    !@parallelRegion{independent(big)}
    do j = 1, 6
      do i = 1, 8
        big(i,j) = big(i,j) + i*j
      end do
    end do
    !@parallelRegion{independent(odd)}
    do j = 1, size(odd, 2)
      do i = 1, size(odd, 1)
        odd(i,j) = 3*odd(i,j) + j
      end do
    end do
    big(3,3) = big(3,3) + view(1,1)
    odd(1,1) = -odd(1,1)
    !@parallelRegion{independent(view)}
    do j = 1, size(view, 2)
      do i = 1, size(view, 1)
        view(i,j) = view(i,j) + 0.25d0
      end do
    end do
    print *, 'inside', sum(big), view(2,2), odd(2,3)
  end subroutine
  subroutine run()
    integer :: i, j, k
    allocate (st%q(5,3,4))
    do k = 1, 4
      do j = 1, 3
        do i = 1, 5
          st%q(i,j,k) = sin(1d0*i + 3*j + 7*k)
        end do
      end do
    end do
    do j = 1, 6
      do i = 1, 8
        big(i,j) = cos(1d0*i*j)
      end do
    end do
    call advance(3)
    print *, sum(st%q), st%q(2,:,3), st%q(3,2,:)
    call parts(st)
    call views()
    print *, sum(big), big(3,3), big(1,1), big(8,6)
  end subroutine run
end module pointed

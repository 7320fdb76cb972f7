! Pointers in local objects of host routines, to arrays that callers have on the device.
module state_local_objects
  implicit none
  integer, parameter :: n = 6
  type :: box
    integer :: id = 0
    real(8), pointer :: q(:,:) => null()
  end type box
  type :: handle
    type(box), pointer :: held => null()
  end type handle
  real(8), target :: c(n,n,n), d(n,n,n)
  type(box), target :: shared
contains
  subroutine add
    integer :: i, j, k
    !@parallelRegion
    do k = 1, n
      do j = 1, n
        do i = 1, n
          c(i,j,k) = c(i,j,k) + 0.5d0*i + j*k
          d(i,j,k) = d(i,j,k) - 0.25d0*i + c(i,j,k)
        end do
      end do
    end do
  end subroutine add

  subroutine rows
    type(box) :: b
    integer :: i
    do i = 1, n
      b%q => c(i,:,:)
      call sweep(b)
    end do
  end subroutine rows

  subroutine sweep(b)
    type(box), intent(inout) :: b
    integer :: k
    do k = 2, n
      b%q(k,1) = b%q(k-1,1)*0.5d0 + b%q(k,2)
    end do
  end subroutine sweep

  subroutine planes
    type(box) :: b(2)
    integer :: l
    b(1)%q => c(:,:,2)
    b(2)%q => d(:,:,3)
    do l = 1, 2
      b(l)%q(:,l) = b(l)%q(:,3) + l
    end do
  end subroutine planes

  subroutine handed
    type(handle) :: h
    h%held => shared
    h%held%q(2,:) = h%held%q(3,:) - 1
  end subroutine handed

  subroutine step
    call add
    call rows
    call add
    call planes
    call add
    call handed
  end subroutine step

  subroutine run
    !@domainDependant{attribute(transferHere)}
    !@ c, d
    !@end domainDependant
    integer :: t
    c = 1
    d = 2
    shared%q => d(:,:,5)
    do t = 1, 2
      call step
      call rows
      call add
    end do
    print '(6f16.8)', c, d
  end subroutine run
end module state_local_objects

! Columns, stored one after the other, as rows of a block with the index of the column innermost, and back. Both move some
! elements at a time that are one store: gfortran makes vector code of them.
module moves
  implicit none
  private
  public :: gather, scatter, width

  integer, parameter :: r8 = kind(1.0d0)
  integer, parameter :: width = 32

contains

  subroutine gather(n, nz, columns, rows)
    integer, intent(in) :: n, nz
    real(r8), intent(in) :: columns(nz,n)
    real(r8), intent(out) :: rows(width,nz)
    integer :: k, l, group

    do group = 1, n - 7, 8
      do k = 1, nz
        do l = group, group + 7
          rows(l,k) = columns(k,l)
        end do
      end do
    end do
    do l = n / 8 * 8 + 1, n
      rows(l,:) = columns(:,l)
    end do
  end subroutine gather

  subroutine scatter(n, nz, rows, columns)
    integer, intent(in) :: n, nz
    real(r8), intent(in) :: rows(width,nz)
    real(r8), intent(out) :: columns(nz,n)
    integer :: k, l

    do l = 1, n
      do k = 1, nz - 3, 4
        columns(k,l) = rows(l,k)
        columns(k+1,l) = rows(l,k+1)
        columns(k+2,l) = rows(l,k+2)
        columns(k+3,l) = rows(l,k+3)
      end do
      do k = nz / 4 * 4 + 1, nz
        columns(k,l) = rows(l,k)
      end do
    end do
  end subroutine scatter

end module moves

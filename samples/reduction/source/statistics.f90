!> Figures of a field, one routine for each family of operators.
!>
!> Directives are in comments here: a plain compiler builds this file as it
!> is, hfpy takes the loops over the iterators as those of the region.
module statistics
  implicit none

  integer, parameter :: r8 = selected_real_kind(12)
  integer, parameter :: r4 = selected_real_kind(6)
  integer, parameter :: i8 = selected_int_kind(18)

contains

  !> Sum, sum of squares and sum of the absolute values. The squares are those of
  !> small whole numbers, so that their sum is exact in single precision; shift is
  !> private to a point. What comes in is added to.
  subroutine sums(nx, ny, nz, a, total, squares, absolute)
    integer, intent(in) :: nx, ny, nz
    real(r8), intent(in) :: a(nx, ny, nz)
    real(r8), intent(inout) :: total, absolute
    real(r4), intent(inout) :: squares

    real(r8) :: shift
    integer :: i, j, k

    !@domainDependant{attribute(autoDom, transferHere)}
    ! a
    !@end domainDependant

    !@parallelRegion{domName(i,j,k), domSize(nx,ny,nz), &
    !@& reduction(+:total), reduction(+:squares), reduction(+:absolute)}
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          shift = a(i,j,k) - 0.25_r8
          total = total + a(i,j,k)
          squares = squares + real(nint(4.0_r8 * shift), r4) ** 2
          absolute = absolute + abs(shift)
        end do
      end do
    end do
    !@end parallelRegion
  end subroutine sums

  !> Largest and smallest value of the inner points, and what a difference
  !> reduction leaves of a starting value.
  subroutine extremes(nx, ny, nz, a, largest, smallest, remainder)
    integer, intent(in) :: nx, ny, nz
    real(r8), intent(in) :: a(nx, ny, nz)
    real(r8), intent(inout) :: largest, smallest
    integer, intent(inout) :: remainder

    integer :: i, j, k

    !@domainDependant{attribute(autoDom, transferHere)}
    ! a
    !@end domainDependant

    !@parallelRegion{domName(i,j), domSize(nx,ny), startAt(2,2), endAt(nx-1,ny-1), &
    !@& reduction(max:largest), reduction(MIN:smallest), reduction(-:remainder)}
    do j = 2, ny - 1
      do i = 2, nx - 1
        do k = 1, nz
          largest = max(largest, a(i,j,k) - a(i-1,j,k))
          if (a(i,j+1,k) < smallest) smallest = a(i,j+1,k)
          if (a(i,j,k) > 0.0_r8) remainder = remainder - mod(i + 2 * j + 3 * k, 5)
        end do
      end do
    end do
    !@end parallelRegion
  end subroutine extremes

  !> Products: of factors near one, and of signs.
  subroutine products(nx, ny, a, product_of_all, sign_of_all)
    integer, intent(in) :: nx, ny
    real(r8), intent(in) :: a(nx, ny)
    real(r8), intent(inout) :: product_of_all
    integer, intent(inout) :: sign_of_all

    integer :: i, j

    !@domainDependant{attribute(autoDom, transferHere)}
    ! a
    !@end domainDependant

    !@parallelRegion{domName(i,j), domSize(nx,ny), reduction(*:product_of_all), reduction(*:sign_of_all)}
    do j = 1, ny
      do i = 1, nx
        product_of_all = product_of_all * (1.0_r8 + 1.0e-3_r8 * a(i,j))
        sign_of_all = sign_of_all * merge(-1, 1, a(i,j) < 0.0_r8)
      end do
    end do
    !@end parallelRegion
  end subroutine products

  !> Bits of a field of integers: those that all have, any has, an odd number has; and a wide sum.
  subroutine bits(nx, ny, nz, m, common, any_of, parity, wide)
    integer, intent(in) :: nx, ny, nz
    integer, intent(in) :: m(nx, ny, nz)
    integer, intent(inout) :: common, any_of, parity
    integer(i8), intent(inout) :: wide

    integer :: i, j, k

    !@domainDependant{attribute(autoDom, transferHere)}
    ! m
    !@end domainDependant

    !@parallelRegion{domName(i,j,k), domSize(nx,ny,nz), reduction(iand:common), reduction(ior:any_of), &
    !@& reduction(ieor:parity), reduction(+:wide)}
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          common = iand(common, m(i,j,k))
          any_of = ior(any_of, m(i,j,k))
          parity = ieor(parity, m(i,j,k))
          wide = wide + int(m(i,j,k), i8) * 1000003_i8
        end do
      end do
    end do
    !@end parallelRegion
  end subroutine bits

  !> Statements about all points.
  subroutine statements(nx, ny, a, bounded, negative, even, odd)
    integer, intent(in) :: nx, ny
    real(r8), intent(in) :: a(nx, ny)
    logical, intent(inout) :: bounded, negative, even, odd

    integer :: i, j

    !@domainDependant{attribute(autoDom, transferHere)}
    ! a
    !@end domainDependant

    !@parallelRegion{domName(i,j), domSize(nx,ny), reduction(.and.:bounded), reduction(.or.:negative), &
    !@& reduction(.eqv.:even), reduction(.neqv.:odd)}
    do j = 1, ny
      do i = 1, nx
        bounded = bounded .and. abs(a(i,j)) < 2.0_r8
        negative = negative .or. a(i,j) < -0.99_r8
        even = even .eqv. a(i,j) > 0.3_r8
        odd = odd .neqv. a(i,j) < -0.3_r8
      end do
    end do
    !@end parallelRegion
  end subroutine statements

  !> Along one domain: the norm of a line, and no other loop at all.
  subroutine line(nx, a, norm, highest)
    integer, intent(in) :: nx
    real(r8), intent(in) :: a(nx)
    real(r8), intent(out) :: norm, highest

    integer :: i

    !@domainDependant{attribute(autoDom, transferHere)}
    ! a
    !@end domainDependant

    norm = 0.0_r8
    highest = -huge(highest)
    !@parallelRegion{domName(i), domSize(nx), reduction(+:norm), reduction(max:highest)}
    do i = 1, nx
      norm = norm + a(i) * a(i)
      highest = max(highest, a(i), 0.5_r8 * a(i))
    end do
    !@end parallelRegion
    norm = sqrt(norm)
  end subroutine line

  !> A reduction next to an array result, once a level: the region is inside a loop.
  subroutine level_means(nx, ny, nz, a, mean, deviation)
    integer, intent(in) :: nx, ny, nz
    real(r8), intent(in) :: a(nx, ny, nz)
    real(r8), intent(out) :: mean(nz)
    real(r8), intent(out) :: deviation(nx, ny, nz)

    real(r8) :: total
    integer :: i, j, k

    !@domainDependant{attribute(autoDom, transferHere)}
    ! a, deviation
    !@end domainDependant
    !@domainDependant{attribute(autoDom, host)}
    ! mean
    !@end domainDependant

    do k = 1, nz
      total = 0.0_r8
      !@parallelRegion{domName(i,j), domSize(nx,ny), reduction(+:total)}
      do j = 1, ny
        do i = 1, nx
          total = total + a(i,j,k)
          deviation(i,j,k) = a(i,j,k) * real(i + nx * j, r8)
        end do
      end do
      !@end parallelRegion
      mean(k) = total / real(nx * ny, r8)
    end do
  end subroutine level_means

end module statistics

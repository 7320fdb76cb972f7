! namelists: members of dummy arguments, of common blocks, under other names and not named at all, objects
module listed_names_data
  implicit none
  type state
    real(8) :: q(4)
    integer :: n
  end type state
  real(8) :: w(4), v(4)
  common /listed_block/ v
  type(state) :: o
  namelist /group/ w, v
  namelist /objects/ o
end module listed_names_data

module listed_names
  use listed_names_data, only: here => w, mine => group, v
  implicit none
contains
  subroutine run()
    integer :: i, turn
    real(8) :: u(4)
    u = 0
    v = 0
    here = 0
    do turn = 1, 3
      !@parallelRegion{domName(i), domSize(4)}
      do i = 1, 4
        here(i) = here(i) + i*turn
        v(i) = v(i) + i
      end do
      !@end parallelRegion
      call list(u, '&group w(3) = 1000, v(2) = 500 /')
      call given(v, '&one x(2) = 44 /')
      !@parallelRegion{domName(i), domSize(4)}
      do i = 1, 4
        here(i) = here(i)*2
        v(i) = v(i)*2
      end do
      !@end parallelRegion
      call shown(v)
      print '(12f10.2)', here, v, u
    end do
    call with_object()
  end subroutine run

  ! it has kernels, but names none of the members
  subroutine list(u, text)
    real(8), intent(inout) :: u(4)
    character(*), intent(in) :: text
    integer :: i
    !@parallelRegion{domName(i), domSize(4)}
    do i = 1, 4
      u(i) = u(i) + 1
    end do
    !@end parallelRegion
    read (text, mine)
    write (*, nml=mine)
  end subroutine list

  subroutine given(x, text)
    real(8) :: x(4)
    character(*), intent(in) :: text
    namelist /one/ x
    read (text, nml=one)
  end subroutine given

  subroutine shown(x)
    real(8) :: x(4)
    namelist /one/ x
    write (*, nml=one)
  end subroutine shown

  subroutine with_object()
    use listed_names_data, only: o
    o%q = 1
    call worked(o%q)
    print '(4f10.2, i4)', o%q, o%n
  end subroutine with_object

  subroutine worked(q)
    use listed_names_data, only: o, objects
    real(8), intent(inout) :: q(4)
    character(60) :: text
    integer :: i
    !@parallelRegion{domName(i), domSize(4)}
    do i = 1, 4
      q(i) = q(i) + i
    end do
    !@end parallelRegion
    text = '&objects o%q(2) = 70, o%n = 3 /'
    read (text, nml=objects)
    !@parallelRegion{domName(i), domSize(4)}
    do i = 1, 4
      q(i) = q(i) + i
    end do
    !@end parallelRegion
  end subroutine worked
end module listed_names

! What all cases share: the grid of processes, the value of a point, and what is told of it.
module zoo
  implicit none
  integer :: px = 1, py = 1, faults = 0, nz = 3, nl = 2
  character(len=40) :: current = ''
contains
  integer function code(gi, gj, k, l)
    integer, intent(in) :: gi, gj, k, l
    code = (gi + 20) + 100*(gj + 20) + 10000*(k + 3) + 100000*(l + 3)
  end function
  subroutine told(ok, what, i, j, k, l)
    logical, intent(in) :: ok
    character(*), intent(in) :: what
    integer, intent(in) :: i, j, k, l
    if (ok) return
    faults = faults + 1
    if (faults <= 20) print '(5a,4i5)', 'FAULT ', trim(current), ' ', what, ' at', i, j, k, l
  end subroutine
end module

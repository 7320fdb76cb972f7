! Which process of an MPI program on this machine this is, by what its launcher left in the environment: known before
! MPI_Init, when a device has to be chosen. Launchers of MPI libraries go first: below a batch system
! they start processes that still see the variables of the batch job.
module hf_ranks
  implicit none
  private
  public :: local_rank, local_size

  character(len=*), parameter :: rank_names(7) = [character(len=28) :: &
    'OMPI_COMM_WORLD_LOCAL_RANK', 'MV2_COMM_WORLD_LOCAL_RANK', 'MPI_LOCALRANKID', 'PMI_LOCAL_RANK', &
    'PALS_LOCAL_RANKID', 'FLUX_TASK_LOCAL_ID', 'SLURM_LOCALID']
  character(len=*), parameter :: size_names(7) = [character(len=28) :: &
    'OMPI_COMM_WORLD_LOCAL_SIZE', 'MV2_COMM_WORLD_LOCAL_SIZE', 'MPI_LOCALNRANKS', 'PMI_LOCAL_SIZE', &
    'PALS_LOCAL_SIZE', 'SLURM_STEP_TASKS_PER_NODE', 'SLURM_TASKS_PER_NODE']

contains

  ! The number of this process among those on this machine, from 0; 0 as well if nothing tells.
  integer function local_rank()
    integer :: i
    logical :: found

    do i = 1, size(rank_names)
      call read_count(rank_names(i), 0, local_rank, found)
      if (found) return
    end do
    local_rank = 0
  end function

  ! How many processes of the program there are on this machine; 1 if nothing tells.
  integer function local_size()
    integer :: i, node
    logical :: found

    call read_count('SLURM_NODEID', 0, node, found)
    if (.not. found) node = 0
    do i = 1, size(size_names)
      call read_count(size_names(i), node, local_size, found)
      if (found .and. local_size > 0) return
    end do
    local_size = 1
  end function

  ! The number in a variable. In a list such as "4(x2),3", which means 4, 4, 3, the entry that is asked for, from 0.
  subroutine read_count(name, entry_wanted, count, found)
    character(*), intent(in) :: name
    integer, intent(in) :: entry_wanted
    integer, intent(out) :: count
    logical, intent(out) :: found
    character(len=1024) :: text
    integer :: status, comma, begin, bracket, repeats, seen

    count = 0
    seen = 0
    begin = 1
    call get_environment_variable(trim(name), text, status=status)
    found = status == 0 .and. len_trim(text) > 0
    do while (found)
      comma = index(text(begin:), ',')
      if (comma == 0) comma = len_trim(text) - begin + 2
      bracket = index(text(begin:begin + comma - 2), '(x')
      repeats = 1
      if (bracket == 0) then
        read (text(begin:begin + comma - 2), *, iostat=status) count
      else
        read (text(begin:begin + bracket - 2), *, iostat=status) count
        if (status == 0) read (text(begin + bracket + 1:begin + comma - 3), *, iostat=status) repeats
      end if
      found = status == 0
      seen = seen + repeats
      begin = begin + comma
      if (seen > entry_wanted .or. begin > len_trim(text)) exit
    end do
  end subroutine

end module hf_ranks

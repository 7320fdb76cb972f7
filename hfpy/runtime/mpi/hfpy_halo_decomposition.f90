! Decompositions: which points of up to three dimensions each process owns.
module hfpy_halo_decomposition
  use, intrinsic :: iso_c_binding, only: c_loc
  use hfpy_halo_job, only: fail, fail_together, text_of
  use hfpy_halo_grid, only: split, choose_grid
  use hfpy_halo_links, only: links, link_open, link_close, link_listeners
  use hfpy_halo_messages, only: gather_all
  implicit none
  private
  public :: hf_decomposition, hf_decompose, hf_release, hf_owned, hf_before, hf_edge, hf_process, hf_processes
  public :: hf_coordinate, hf_neighbour, hf_global, owned_box, rank_at, check_ready

  ! A decomposition, as `hf_decompose` makes it. Its components are for the modules of this library; others ask the
  ! functions below.
  type :: hf_decomposition
    character(len=63) :: name = ''
    logical :: ready = .false.
    integer :: link = 0
    integer :: dims = 0                            ! how many dimensions are decomposed
    integer :: rank = 0, ranks = 1
    integer :: points(3) = 1                       ! of all processes, without those that staggering adds
    integer :: stagger(3) = 0
    logical :: periodic(3) = .false.
    integer :: grid(3) = 1, coordinate(3) = 0      ! processes along each dimension, and this one's place, from 0
    integer :: owned(3) = 1, before(3) = 0
    integer :: halo_low(3) = 0, halo_high(3) = 0
  end type

contains

  ! Divide points among all processes; all of them call this with the same values.
  !   name        for messages
  !   global      sizes of 1 to 3 dimensions
  !   local       the number of points that this process owns in each of them (out); sizes of processes differ by one
  !               at most
  !   halo_low, halo_high  the widest halo beside the owned points on each side
  !   periodic    whether the last point of a dimension is the neighbour of the first
  !   grid        processes along each dimension; 0: chosen by the model in hfpy_halo_grid
  !   stagger     points that a field has more than `global` at the high end of a dimension that is not periodic, as
  !               the faces of cells are one more; the last process owns them, so that staggered decompositions agree
  !   comm        a communicator, as an integer (of mpi_f08: comm%MPI_VAL); without it, MPI_COMM_WORLD
  ! MPI is initialised here if the program has not done it, and finalised at the end of the program then, also by `stop`.
  ! A program that calls MPI_Init does so before.
  ! Ends the job with a message where processes differ in their arguments, where there are more processes than rows,
  ! or where a process would own fewer points than the halo is wide.
  subroutine hf_decompose(dec, name, global, local, halo_low, halo_high, periodic, grid, stagger, comm)
    type(hf_decomposition), intent(inout) :: dec
    character(*), intent(in) :: name
    integer, intent(in) :: global(:), halo_low(:), halo_high(:), grid(:)
    integer, intent(out) :: local(:)
    logical, intent(in) :: periodic(:)
    integer, intent(in), optional :: stagger(:), comm
    type(hf_decomposition) :: made
    integer :: n

    if (dec%ready) call hf_release(dec)
    n = size(global)
    made%name = name
    made%link = link_open(comm)
    made%rank = links(made%link)%rank
    made%ranks = links(made%link)%size
    made%dims = n
    call check_sizes(made, [size(local), size(halo_low), size(halo_high), size(periodic), size(grid)])
    made%points(:n) = global
    made%halo_low(:n) = halo_low
    made%halo_high(:n) = halo_high
    made%periodic(:n) = periodic
    made%grid(:n) = grid
    if (present(stagger)) then
      call check_sizes(made, [size(stagger)])
      made%stagger(:n) = merge(0, stagger, periodic)
    end if
    call check_agreement(made)
    call check_values(made)
    call take_grid(made)
    made%coordinate = coordinates(made%grid, made%rank)
    call owned_box(made, made%rank, made%before, made%owned)
    call link_listeners(made%link, neighbours(made))
    made%ready = .true.
    local = made%owned(:n)
    dec = made
  end subroutine

  ! Give the communicator of a decomposition back, after its last exchange. All processes call this.
  subroutine hf_release(dec)
    type(hf_decomposition), intent(inout) :: dec

    if (dec%ready) call link_close(dec%link)
    dec%ready = .false.
  end subroutine

  ! The number of points of a dimension that this process owns.
  integer function hf_owned(dec, dim)
    type(hf_decomposition), intent(in) :: dec
    integer, intent(in) :: dim

    call check_ready(dec, dim)
    hf_owned = dec%owned(dim)
  end function

  ! The number of points of a dimension before the first that this process owns: an owned point with the local index i
  ! (from 1) has the global index i + hf_before(dec, dim).
  integer function hf_before(dec, dim)
    type(hf_decomposition), intent(in) :: dec
    integer, intent(in) :: dim

    call check_ready(dec, dim)
    hf_before = dec%before(dim)
  end function

  ! The points of a dimension over all processes, with those that staggering adds.
  integer function hf_global(dec, dim)
    type(hf_decomposition), intent(in) :: dec
    integer, intent(in) :: dim

    call check_ready(dec, dim)
    hf_global = dec%points(dim) + dec%stagger(dim)
  end function

  ! Whether this process is at the physical boundary of a dimension: at the low end if `side` is negative, else at the
  ! high one. A periodic dimension has none.
  logical function hf_edge(dec, dim, side)
    type(hf_decomposition), intent(in) :: dec
    integer, intent(in) :: dim, side
    integer :: last

    call check_ready(dec, dim)
    last = merge(0, dec%grid(dim) - 1, side < 0)
    hf_edge = .not. dec%periodic(dim) .and. dec%coordinate(dim) == last
  end function

  ! The number of this process, from 0.
  integer function hf_process(dec)
    type(hf_decomposition), intent(in) :: dec

    call check_ready(dec, 1)
    hf_process = dec%rank
  end function

  ! The number of processes.
  integer function hf_processes(dec)
    type(hf_decomposition), intent(in) :: dec

    call check_ready(dec, 1)
    hf_processes = dec%ranks
  end function

  ! The place of this process along a dimension, from 0.
  integer function hf_coordinate(dec, dim)
    type(hf_decomposition), intent(in) :: dec
    integer, intent(in) :: dim

    call check_ready(dec, dim)
    hf_coordinate = dec%coordinate(dim)
  end function

  ! The process in a direction, which has -1, 0 or 1 for each decomposed dimension; -1 beyond a physical boundary. It
  ! may be this process itself, or the same in several directions.
  integer function hf_neighbour(dec, direction)
    type(hf_decomposition), intent(in) :: dec
    integer, intent(in) :: direction(:)

    call check_ready(dec, 1)
    if (size(direction) /= dec%dims .or. any(abs(direction) > 1)) call fail('a direction of decomposition '// &
      trim(dec%name)//' needs -1, 0 or 1 for each of its '//text_of(dec%dims)//' dimensions')
    hf_neighbour = neighbour(dec, direction)
  end function

  ! What `rank` owns in each dimension: the points before it, and how many.
  pure subroutine owned_box(dec, rank, before, owned)
    type(hf_decomposition), intent(in) :: dec
    integer, intent(in) :: rank
    integer, intent(out) :: before(3), owned(3)
    integer :: place(3), d

    place = coordinates(dec%grid, rank)
    do d = 1, 3
      call split(dec%points(d), dec%grid(d), place(d), before(d), owned(d))
      if (place(d) == dec%grid(d) - 1) owned(d) = owned(d) + dec%stagger(d)
    end do
  end subroutine

  ! The process at a place of the grid.
  pure integer function rank_at(dec, place)
    type(hf_decomposition), intent(in) :: dec
    integer, intent(in) :: place(3)

    rank_at = place(1) + dec%grid(1)*(place(2) + dec%grid(2)*place(3))
  end function

  ! End the job if a decomposition is used before hf_decompose, or asked for a dimension that it does not have.
  subroutine check_ready(dec, dim)
    type(hf_decomposition), intent(in) :: dec
    integer, intent(in) :: dim

    if (.not. dec%ready) call fail('a decomposition is used before hf_decompose has set it, or after hf_release')
    if (dim < 1 .or. dim > dec%dims) call fail('decomposition '//trim(dec%name)//' has '//text_of(dec%dims)// &
      ' dimensions; dimension '//text_of(dim)//' is asked for')
  end subroutine

  ! Neighbours along the first dimension have neighbouring ranks, which launchers put side by side.
  pure function coordinates(grid, rank) result(place)
    integer, intent(in) :: grid(3), rank
    integer :: place(3)

    place = [mod(rank, grid(1)), mod(rank/grid(1), grid(2)), rank/(grid(1)*grid(2))]
  end function

  pure integer function neighbour(dec, direction)
    type(hf_decomposition), intent(in) :: dec
    integer, intent(in) :: direction(:)
    integer :: place(3), d

    place = dec%coordinate
    neighbour = -1
    do d = 1, size(direction)
      place(d) = place(d) + direction(d)
      if (dec%periodic(d)) place(d) = modulo(place(d), dec%grid(d))
      if (place(d) < 0 .or. place(d) >= dec%grid(d)) return
    end do
    neighbour = rank_at(dec, place)
  end function

  pure function neighbours(dec) result(ranks)
    type(hf_decomposition), intent(in) :: dec
    integer :: ranks(27)
    integer :: i, direction(3)

    do i = 1, 27
      direction = [mod(i - 1, 3), mod((i - 1)/3, 3), (i - 1)/9] - 1
      ranks(i) = neighbour(dec, direction(:dec%dims))
      if (any(direction(dec%dims + 1:) /= 0)) ranks(i) = -1
    end do
  end function

  ! End the job if an argument has another number of dimensions.
  subroutine check_sizes(dec, sizes)
    type(hf_decomposition), intent(in) :: dec
    integer, intent(in) :: sizes(:)

    if (dec%dims < 1 .or. dec%dims > 3) call fail_together(dec%rank, 'decomposition '//trim(dec%name)//' has '// &
      text_of(dec%dims)//' dimensions; 1 to 3 can be decomposed')
    if (any(sizes /= dec%dims)) call fail_together(dec%rank, 'decomposition '//trim(dec%name)// &
      ': the arrays of sizes, halos, periodic, grid and stagger have different numbers of dimensions')
  end subroutine

  ! End the job if another process has other values: later, messages would not fit, or never come.
  subroutine check_agreement(dec)
    type(hf_decomposition), intent(in) :: dec
    character(len=*), parameter :: titles(7) = [character(len=26) :: 'number of dimensions', 'global size', &
      'low halo', 'high halo', 'periodic (1) or not (0)', 'grid of processes', 'staggered points']
    integer, parameter :: values = 19
    integer, target :: mine(values + len(dec%name))
    integer, allocatable, target :: every(:, :)
    character(len=len(dec%name)) :: name
    integer :: rank, i

    mine(:values) = [dec%dims, dec%points, dec%halo_low, dec%halo_high, merge(1, 0, dec%periodic), dec%grid, dec%stagger]
    mine(values + 1:) = [(ichar(dec%name(i:i)), i=1, len(dec%name))]
    allocate (every(size(mine), 0:dec%ranks - 1))
    call gather_all(dec%link, c_loc(mine), size(mine)*storage_size(mine)/8, c_loc(every))
    do rank = 1, dec%ranks - 1
      i = different(every(:, 0), every(:, rank))
      if (i > values) then
        name = text_of_codes(every(values + 1:, rank))
        call fail_together(dec%rank, 'process '//text_of(rank)//' sets up decomposition '//trim(name)//' where process 0 '// &
          'sets up '//trim(text_of_codes(every(values + 1:, 0)))//'; all have to do the same')
      else if (i > 0) then
        call fail_together(dec%rank, 'decomposition '//trim(dec%name)//': '//trim(titles(1 + (i + 1)/3))//' is '// &
          text_of(every(i, 0))//' at process 0 and '//text_of(every(i, rank))//' at process '//text_of(rank)// &
          place_of(i)//'; all have to be given the same')
      end if
    end do
  end subroutine

  ! The last place where two lists differ: names, which come last, tell more than numbers. 0 if they are equal.
  pure integer function different(one, other)
    integer, intent(in) :: one(:), other(:)

    do different = size(one), 1, -1
      if (one(different) /= other(different)) return
    end do
  end function

  pure function text_of_codes(codes) result(text)
    integer, intent(in) :: codes(:)
    character(len=size(codes)) :: text
    integer :: i

    do i = 1, size(codes)
      text(i:i) = char(codes(i))
    end do
  end function

  ! The dimension that a value of check_agreement belongs to.
  function place_of(i) result(text)
    integer, intent(in) :: i
    character(len=:), allocatable :: text

    text = ''
    if (i > 1) text = ' in dimension '//text_of(1 + mod(i - 2, 3))
  end function

  subroutine check_values(dec)
    type(hf_decomposition), intent(in) :: dec
    integer :: d

    do d = 1, dec%dims
      if (dec%points(d) < 1) call fail_together(dec%rank, 'decomposition '//trim(dec%name)//': dimension '// &
        text_of(d)//' has '//text_of(dec%points(d))//' points')
      if (min(dec%halo_low(d), dec%halo_high(d), dec%grid(d), dec%stagger(d)) < 0) call fail_together(dec%rank, &
        'decomposition '//trim(dec%name)//': a halo, a number of processes or of staggered points is negative')
    end do
  end subroutine

  ! The grid of processes, or the end of the job with the reason why there is none.
  subroutine take_grid(dec)
    type(hf_decomposition), intent(inout) :: dec
    integer :: n, asked(3)
    logical :: found
    character(len=:), allocatable :: what

    n = dec%dims
    asked = dec%grid
    call choose_grid(dec%points(:n), dec%halo_low(:n), dec%halo_high(:n), dec%periodic(:n), dec%ranks, dec%grid(:n), found)
    if (found) return
    what = 'decomposition '//trim(dec%name)//': '//text_of(dec%points(:n))//' points cannot be divided among '// &
      text_of(dec%ranks)//' processes'
    if (any(asked(:n) /= 0)) what = what//' in a grid of '//text_of(asked(:n))
    if (all(asked(:n) /= 0) .and. product(asked(:n)) /= dec%ranks) call fail_together(dec%rank, what// &
      ': that grid has '//text_of(product(asked(:n)))//' places. Start as many processes, or give another grid')
    call fail_together(dec%rank, what//': each needs a row of its own, and at least as many as the halo is wide ('// &
      text_of(max(dec%halo_low(:n), dec%halo_high(:n)))//'). Start fewer processes, or use more points')
  end subroutine

end module hfpy_halo_decomposition

"""Programs that use MPI by themselves beside hfpy's directives, with ``mpi_f08`` and with ``mpi``: each case exchanges
halos by hand, and checks them, in regions, against the global index.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tests.processes.programs import Case

# What the two modules of MPI have in other forms.
WORDS = {
    "f08": {
        "THE_MODULE": "mpi_f08",
        "A_REQUEST": "type(MPI_Request)",
        "A_TYPE": "type(MPI_Datatype)",
        "A_COMM": "type(MPI_Comm)",
        "A_FILE": "type(MPI_File)",
    },
    "old": {"THE_MODULE": "mpi", "A_REQUEST": "integer", "A_TYPE": "integer", "A_COMM": "integer", "A_FILE": "integer"},
}
# The grid, the processes around this one (by the first points of all), and the check of a field with its halo.
HEAD = """module NAME_grid
  use THE_MODULE
  use zoo
  implicit none
  integer :: nx, ny, low_i, high_i, low_j, high_j, first_i, first_j
  A_COMM :: mine
contains
  subroutine setup()
    integer :: i, j, n, ranks, error
    integer, allocatable :: firsts(:,:)
    @decomposition{domName(i,j), global(17,15), local(nx,ny), halo(i:2, j:2), periodic(i), grid(px,py), ALL}
    call MPI_Comm_dup(MPI_COMM_WORLD, mine, error)
    i = 1
    j = 1
    first_i = global(i)
    first_j = global(j)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    allocate(firsts(2, 0:ranks-1))
    call MPI_Allgather([first_i, first_j], 2, MPI_INTEGER, firsts, 2, MPI_INTEGER, MPI_COMM_WORLD, error)
    low_i = MPI_PROC_NULL
    high_i = MPI_PROC_NULL
    low_j = MPI_PROC_NULL
    high_j = MPI_PROC_NULL
    do n = 0, ranks - 1
      if (firsts(2,n) == first_j) then
        if (firsts(1,n) == merge(1, first_i + nx, first_i + nx > 17)) high_i = n
      end if
      if (firsts(1,n) == first_i .and. firsts(2,n) == first_j + ny) high_j = n
    end do
    do n = 0, ranks - 1
      if (firsts(2,n) /= first_j) cycle
      if (first_i > 1 .and. firsts(1,n) < first_i) then
        if (low_i == MPI_PROC_NULL) low_i = n
        if (firsts(1,n) > firsts(1,low_i)) low_i = n
      end if
      if (first_i == 1) then
        if (low_i == MPI_PROC_NULL) low_i = n
        if (firsts(1,n) > firsts(1,low_i)) low_i = n
      end if
    end do
    do n = 0, ranks - 1
      if (firsts(1,n) /= first_i .or. firsts(2,n) >= first_j) cycle
      if (low_j == MPI_PROC_NULL) low_j = n
      if (firsts(2,n) > firsts(2,low_j)) low_j = n
    end do
  end subroutine

  subroutine fill(u, shift)
    integer, intent(inout) :: u(0:nx+1, 0:ny+1, nz)
    integer, intent(in) :: shift
    @parallelRegion{domName(i,j,k), domSize(nx,ny,nz)}
    u(i,j,k) = global(i) + 100*global(j) + 10000*k + shift
    @end parallelRegion
  end subroutine

  ! The four neighbours of all points, without the corners of the halo.
  subroutine check(u, what, shift)
    integer, intent(in) :: u(0:nx+1, 0:ny+1, nz)
    character(*), intent(in) :: what
    integer, intent(in) :: shift
    integer :: wrong
    wrong = 0
    @parallelRegion{domName(i,j,k), domSize(nx,ny,nz), reduction(+:wrong)}
    if (u(i,j,k) /= global(i) + 100*global(j) + 10000*k + shift) wrong = wrong + 1
    if (u(i-1,j,k) /= modulo(global(i) - 2, 17) + 1 + 100*global(j) + 10000*k + shift) wrong = wrong + 1
    if (u(i+1,j,k) /= modulo(global(i), 17) + 1 + 100*global(j) + 10000*k + shift) wrong = wrong + 1
    if (global(j) > 1) then
      if (u(i,j-1,k) /= global(i) + 100*(global(j) - 1) + 10000*k + shift) wrong = wrong + 1
    end if
    if (global(j) < 15) then
      if (u(i,j+1,k) /= global(i) + 100*(global(j) + 1) + 10000*k + shift) wrong = wrong + 1
    end if
    @end parallelRegion
    call told(wrong == 0, what, wrong, nx, ny, 0)
  end subroutine
end module
module NAME
  use THE_MODULE
  use zoo
  use NAME_grid
  implicit none
  MODULE_DATA
contains
"""
RUN = """
  subroutine run()
    integer, allocatable :: u(:,:,:), v(:,:,:)
    current = 'NAME'
    call setup()
    allocate(u(0:nx+1, 0:ny+1, nz), v(0:nx+1, 0:ny+1, nz))
    u = -1
    v = -1
    call work(u, v)
    call work(u, v)
    call MPI_Comm_free(mine, error_of_run)
  end subroutine
end module
"""
FIELDS = """    integer, intent(inout) :: u(0:nx+1, 0:ny+1, nz), v(0:nx+1, 0:ny+1, nz)
    integer :: error
"""
# An exchange of one-point halos in i and then in j, by what starts and ends messages on buffers of the host.
BLOCKING = """    integer, allocatable :: out(:,:), in(:,:)
    allocate(out(ny,nz), in(ny,nz))
    out = u(nx,1:ny,:)
    call MPI_Sendrecv(out, ny*nz, MPI_INTEGER, high_i, 1, &
      in, ny*nz, MPI_INTEGER, low_i, 1, mine, MPI_STATUS_IGNORE, error)
    u(0,1:ny,:) = in
    out = u(1,1:ny,:)
    call MPI_Sendrecv(out, ny*nz, MPI_INTEGER, low_i, 1, &
      in, ny*nz, MPI_INTEGER, high_i, 1, mine, MPI_STATUS_IGNORE, error)
    u(nx+1,1:ny,:) = in
    deallocate(out, in)
    allocate(out(nx,nz), in(nx,nz))
    out = u(1:nx,ny,:)
    in = -1
    call MPI_Sendrecv(out, nx*nz, MPI_INTEGER, high_j, 1, &
      in, nx*nz, MPI_INTEGER, low_j, 1, mine, MPI_STATUS_IGNORE, error)
    u(1:nx,0,:) = in
    out = u(1:nx,1,:)
    in = -1
    call MPI_Sendrecv(out, nx*nz, MPI_INTEGER, low_j, 1, &
      in, nx*nz, MPI_INTEGER, high_j, 1, mine, MPI_STATUS_IGNORE, error)
    u(1:nx,ny+1,:) = in
"""
SUBARRAYS = """    A_TYPE :: types(8)
    A_REQUEST :: requests(8)
    integer :: n, sizes(3), parts(3,8), starts(3,8)
    sizes = [nx+2, ny+2, nz]
    parts(:,1:4) = spread([1, ny, nz], 2, 4)
    parts(:,5:8) = spread([nx, 1, nz], 2, 4)
    starts(:,1) = [nx+1, 1, 0]
    starts(:,2) = [0, 1, 0]
    starts(:,3) = [1, 1, 0]
    starts(:,4) = [nx, 1, 0]
    starts(:,5) = [1, ny+1, 0]
    starts(:,6) = [1, 0, 0]
    starts(:,7) = [1, 1, 0]
    starts(:,8) = [1, ny, 0]
    do n = 1, 8
      call MPI_Type_create_subarray(3, sizes, parts(:,n), starts(:,n), MPI_ORDER_FORTRAN, MPI_INTEGER, types(n), error)
      call MPI_Type_commit(types(n), error)
    end do
    call MPI_Irecv(u, 1, types(1), high_i, 11, mine, requests(1), error)
    call MPI_Irecv(u, 1, types(2), low_i, 12, mine, requests(2), error)
    call MPI_Isend(u, 1, types(3), low_i, 11, mine, requests(3), error)
    call MPI_Isend(u, 1, types(4), high_i, 12, mine, requests(4), error)
    call MPI_Irecv(u, 1, types(5), high_j, 13, mine, requests(5), error)
    call MPI_Irecv(u, 1, types(6), low_j, 14, mine, requests(6), error)
    call MPI_Isend(u, 1, types(7), low_j, 13, mine, requests(7), error)
    call MPI_Isend(u, 1, types(8), high_j, 14, mine, requests(8), error)
BETWEEN
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE, error)
    do n = 1, 8
      call MPI_Type_free(types(n), error)
    end do
"""
NO_WAIT = SUBARRAYS.replace("BETWEEN\n", "")

# A file for the fields of all processes: by a derived type that tells the place of the part, and row by row.
FILED = """    A_FILE :: file
    A_TYPE :: part
    integer :: i, j, k
    integer(MPI_OFFSET_KIND) :: place
    integer, allocatable :: own(:,:,:), all_of_it(:,:,:)
    allocate(own(nx,ny,nz), all_of_it(17,15,nz))
    call fill(u, 0)
    own = u(1:nx,1:ny,:)
    i = 1
    j = 1
    call MPI_Type_create_subarray(3, [17, 15, nz], [nx, ny, nz], [global(i) - 1, global(j) - 1, 0], &
      MPI_ORDER_FORTRAN, MPI_INTEGER, part, error)
    call MPI_Type_commit(part, error)
    call MPI_File_open(mine, 'NAME.bin', MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file, error)
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, part, 'native', MPI_INFO_NULL, error)
    call MPI_File_write_at_all(file, 0_MPI_OFFSET_KIND, own, nx*ny*nz, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, error)
    do k = 1, nz
      do j = 1, ny
        i = 1
        place = global(i) - 1 + 17*(global(j) - 1 + 15*(k - 1 + nz))
        own(:,j,k) = own(:,j,k) + 7
        call MPI_File_write_at(file, place, own(:,j,k), nx, MPI_INTEGER, MPI_STATUS_IGNORE, error)
      end do
    end do
    call MPI_File_close(file, error)
    call MPI_Type_free(part, error)
    call MPI_Barrier(mine, error)
    open(newunit=i, file='NAME.bin', access='stream', form='unformatted', status='old')
    read(i) all_of_it
    call told(all(all_of_it == whole(0)), 'by a type', 0, 0, 0, 0)
    read(i) all_of_it
    call told(all(all_of_it == whole(7)), 'by rows', 0, 0, 0, 0)
    close(i)
    own = 0
    call MPI_File_open(mine, 'NAME.bin', MPI_MODE_RDONLY + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file, error)
    do k = 1, nz
      do j = 1, ny
        i = 1
        place = global(i) - 1 + 17*(global(j) - 1 + 15*(k - 1 + nz))
        call MPI_File_read_at(file, 4*place, own(:,j,k), nx, MPI_INTEGER, MPI_STATUS_IGNORE, error)
      end do
    end do
    call MPI_Barrier(mine, error)
    call MPI_File_close(file, error)
    u(1:nx,1:ny,:) = own
    @haloExchange{fields(u), width(i:1, j:1)}
    call check(u, 'u', 7)
  contains
  function whole(shift)
    integer, intent(in) :: shift
    integer :: whole(17,15,nz), a, b, c
    do c = 1, nz
      do b = 1, 15
        do a = 1, 17
          whole(a,b,c) = a + 100*b + 10000*c + shift
        end do
      end do
    end do
  end function
"""


def _work(body: str, more: str = "", declared: str = "") -> str:
    return f"  subroutine work(u, v)\n{FIELDS}{declared}{body}  end subroutine\n{more}"


def _hand(body: str, name: str = "swap", shape: str = "0:nx+1, 0:ny+1, nz") -> str:
    """A routine that exchanges by hand."""
    head = f"  subroutine {name}(u)\n    integer, intent(inout) :: u({shape})\n    integer :: error\n"
    return head + body + "  end subroutine\n"


BODIES = {
    # one file for the fields of all
    "filed": _work(FILED),
    # the messages beside the regions, in one routine
    "blocking": _work(
        BLOCKING.replace("    allocate(out(ny", "    call fill(u, 3)\n    allocate(out(ny", 1)
        + "    call check(u, 'u', 3)\n"
    ),
    "beside": _work(
        BLOCKING.replace(
            "    allocate(out(ny",
            "    @parallelRegion{domName(i,j,k), domSize(nx,ny,nz)}\n"
            "    u(i,j,k) = global(i) + 100*global(j) + 10000*k\n"
            "    @end parallelRegion\n    allocate(out(ny",
            1,
        )
        + """    @parallelRegion{domName(i,j,k), domSize(nx,ny,nz)}
    v(i,j,k) = u(i+1,j,k) + u(i-1,j,k)
    @end parallelRegion
    @haloExchange{fields(u), corners(no), width(i:1, j:1)}
    wrong = 0
    @parallelRegion{domName(i,j,k), domSize(nx,ny,nz), reduction(+:wrong)}
    if (v(i,j,k) /= u(i+1,j,k) + u(i-1,j,k)) wrong = wrong + 1
    @end parallelRegion
    call told(wrong == 0, 'sum', wrong, 0, 0, 0)
    call check(u, 'u', 0)
""",
        declared="    integer :: wrong\n",
    ),
    # messages that are under way while hfpy exchanges another field, with tags that hfpy has, too
    "between": _work(
        SUBARRAYS.replace("    sizes =", "    call fill(u, 1)\n    call fill(v, 2)\n    sizes =").replace(
            "BETWEEN", "    @haloExchange{fields(v), width(i:1, j:1)}\n    call check(v, 'v', 2)"
        )
        + "    call check(u, 'u', 1)\n"
    ),
    # receives that are posted before the region which sets the field
    "early": _work(
        SUBARRAYS.split("    call MPI_Isend")[0]
        + """    call MPI_Irecv(u, 1, types(5), high_j, 13, mine, requests(3), error)
    call MPI_Irecv(u, 1, types(6), low_j, 14, mine, requests(4), error)
    @parallelRegion{domName(i,j,k), domSize(nx,ny,nz)}
    u(i,j,k) = global(i) + 100*global(j) + 10000*k + 9
    @end parallelRegion
    call MPI_Isend(u, 1, types(3), low_i, 11, mine, requests(5), error)
    call MPI_Isend(u, 1, types(4), high_i, 12, mine, requests(6), error)
    call MPI_Isend(u, 1, types(7), low_j, 13, mine, requests(7), error)
    call MPI_Isend(u, 1, types(8), high_j, 14, mine, requests(8), error)
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE, error)
    @parallelRegion{domName(i,j,k), domSize(nx,ny,nz)}
    v(i,j,k) = u(i+1,j,k) + u(i-1,j,k)
    @end parallelRegion
    call check(u, 'u', 9)
"""
    ),
    # the same, with what is sent in buffers that regions fill
    "early_buffers": _work(
        """    allocate(low(ny,nz), high(ny,nz), below(ny,nz), above(ny,nz))
    call MPI_Irecv(below, ny*nz, MPI_INTEGER, low_i, 21, mine, requests(1), error)
    call MPI_Irecv(above, ny*nz, MPI_INTEGER, high_i, 22, mine, requests(2), error)
    call fill(u, 4)
    @parallelRegion{domName(j,k), domSize(ny,nz)}
    low(j,k) = u(1,j,k)
    high(j,k) = u(nx,j,k)
    @end parallelRegion
    call MPI_Isend(high, ny*nz, MPI_INTEGER, high_i, 21, mine, requests(3), error)
    call MPI_Isend(low, ny*nz, MPI_INTEGER, low_i, 22, mine, requests(4), error)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, error)
    @parallelRegion{domName(j,k), domSize(ny,nz)}
    u(0,j,k) = below(j,k)
    u(nx+1,j,k) = above(j,k)
    @end parallelRegion
    wrong = 0
    @parallelRegion{domName(i,j,k), domSize(nx,ny,nz), reduction(+:wrong)}
    if (u(i-1,j,k) /= modulo(global(i) - 2, 17) + 1 + 100*global(j) + 10000*k + 4) wrong = wrong + 1
    if (u(i+1,j,k) /= modulo(global(i), 17) + 1 + 100*global(j) + 10000*k + 4) wrong = wrong + 1
    @end parallelRegion
    call told(wrong == 0, 'u', wrong, 0, 0, 0)
""",
        declared="    integer, allocatable :: low(:,:), high(:,:), below(:,:), above(:,:)\n    integer :: wrong\n"
        "    A_REQUEST :: requests(4)\n",
    ),
    # halves of the exchange with persistent requests, which name the field once
    "persistent": _work(
        SUBARRAYS.replace("    call MPI_Isend", "    call MPI_Send_init")
        .replace("    call MPI_Irecv", "    call MPI_Recv_init")
        .replace(
            "BETWEEN\n",
            """    call fill(u, 8)
    call MPI_Startall(8, requests, error)
""",
        )
        .replace("MPI_STATUSES_IGNORE, error)\n", "MPI_STATUSES_IGNORE, error)\n    call check(u, 'u', 8)\n")
    ),
    "subarrays": _work(
        "    call fill(u, 5)\n    call swap(u)\n    call check(u, 'u', 5)\n    call fill(v, 6)\n    call swap(v)\n"
        "    call check(v, 'v', 6)\n",
        _hand(NO_WAIT),
    ),
    "called": _work(
        "    call fill(u, 5)\n    call swap(u)\n    call check(u, 'u', 5)\n"
        "    call fill(v, 7)\n    @haloExchange{fields(v), width(i:1, j:1)}\n    call check(v, 'v', 7)\n",
        _hand(BLOCKING),
    ),
    "module_field": _work(
        "    if (.not. allocated(held)) allocate(held(0:nx+1,0:ny+1,nz))\n    call fill(held, 5)\n    call swap()\n"
        "    call check(held, 'held', 5)\n",
        "  subroutine swap()\n    integer :: error\n" + NO_WAIT.replace("(u,", "(held,") + "  end subroutine\n",
    ),
    # whether the halo is stale depends on the way: what messages have brought is not
    "on_a_way": _work(
        "    call fill(u, 5)\n    if (px > 0) then\n      call swap(u)\n    end if\n    call check(u, 'u', 5)\n"
        "    call fill(u, 6)\n    if (px < 0) then\n      @haloExchange{fields(u), width(i:1, j:1)}\n    else\n"
        "      call swap(u)\n    end if\n    call check(u, 'u', 6)\n",
        _hand(BLOCKING),
    ),
    "allreduce": _work(
        """    call fill(u, 0)
    all_of_it = 0
    @parallelRegion{domName(i,j,k), domSize(nx,ny,nz), reduction(+:all_of_it)}
    all_of_it = all_of_it + u(i,j,k)
    @end parallelRegion
    own = sum(u(1:nx,1:ny,:))
    call MPI_Allreduce(own, total, 1, MPI_INTEGER, MPI_SUM, mine, error)
    call told(total == all_of_it, 'sum', total, all_of_it, 0, 0)
    call MPI_Allreduce(MPI_IN_PLACE, own, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call told(own == all_of_it, 'sum', own, all_of_it, 0, 0)
    allocate(along(ny))
    along = 0
    do k = 1, ny
      along(k) = sum(u(1:nx,k,1))
    end do
    call MPI_Comm_split(MPI_COMM_WORLD, first_j, 0, row, error)
    call MPI_Allreduce(MPI_IN_PLACE, along, ny, MPI_INTEGER, MPI_SUM, row, error)
    call MPI_Comm_free(row, error)
    do k = 1, ny
      call told(along(k) == 153 + 17*(100*(first_j + k - 1) + 10000), 'along', k, along(k), 0, 0)
    end do
    call MPI_Bcast(u, size(u), MPI_INTEGER, 0, MPI_COMM_SELF, error)
    @haloExchange{fields(u), width(i:1, j:1)}
    call check(u, 'u', 0)
""",
        declared="    integer :: own, total, all_of_it, k\n    integer, allocatable :: along(:)\n    A_COMM :: row\n",
    ),
}


def own_cases(names: Iterable[str] = BODIES, modules: Iterable[str] = WORDS) -> dict[str, Case]:
    """Cases with either module of MPI."""
    found = {}
    for name in names:
        for module in modules:
            case = f"{name}_{module}"
            found[case] = Case(case, {f"{case}.h90": _text(case, BODIES[name], WORDS[module])})
    return found


def _text(name: str, body: str, words: Mapping[str, str], automatic: bool = False) -> str:
    data = "integer :: error_of_run = 0\n  integer, allocatable :: held(:,:,:)"
    text = (
        (HEAD + body + RUN)
        .replace("MODULE_DATA", data)
        .replace("ALL", "reductions(global)" + ", exchange(auto)" * automatic)
    )
    for word, there in {**words, "NAME": name}.items():
        text = text.replace(word, there)
    return text

"""Non-blocking messages of arrays that are on the device.

The MPI here is a stand-in of one process that sends to itself. A message is delivered when the program waits for it, as
late as the standard allows, and what was received is lost if a copy overwrites the host's array before.
"""

from __future__ import annotations

import pytest

from tests.storage.programs import asked_ways, in_turn
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET, Corpus, Pair, Variant, translate_text

VARIANTS = (CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET)

# hfpy does not see this file. Requests are numbers of messages; a message to a tag goes to the receive with that tag.
MPI = """module mpi
  use iso_c_binding, only: c_loc, c_ptr, c_f_pointer
  implicit none
  integer, parameter :: MPI_COMM_WORLD = 0, MPI_DOUBLE_PRECISION = 1, MPI_STATUS_SIZE = 1
  integer :: MPI_STATUSES_IGNORE(1, 9) = 0, MPI_STATUS_IGNORE(1) = 0
  type post
    type(c_ptr) :: where_it_is
    integer :: count = 0, tag = 0
    logical :: receives = .false.
  end type post
  type(post) :: posts(64)
  integer :: number = 0
contains
  subroutine mpi_irecv(buf, count, kind, source, tag, comm, request, ierror)
    real(8), target, intent(inout) :: buf(*)
    integer, intent(in) :: count, kind, source, tag, comm
    integer, intent(out) :: request, ierror
    number = number + 1
    posts(number) = post(c_loc(buf), count, tag, .true.)
    request = number
    ierror = 0
  end subroutine mpi_irecv
  subroutine mpi_isend(buf, count, kind, dest, tag, comm, request, ierror)
    real(8), target, intent(in) :: buf(*)
    integer, intent(in) :: count, kind, dest, tag, comm
    integer, intent(out) :: request, ierror
    number = number + 1
    posts(number) = post(c_loc(buf), count, tag, .false.)
    request = number
    ierror = 0
  end subroutine mpi_isend
  subroutine mpi_recv_init(buf, count, kind, source, tag, comm, request, ierror)
    real(8), target, intent(inout) :: buf(*)
    integer, intent(in) :: count, kind, source, tag, comm
    integer, intent(out) :: request, ierror
    call mpi_irecv(buf, count, kind, source, tag, comm, request, ierror)
  end subroutine mpi_recv_init
  subroutine deliver(request)
    integer, intent(in) :: request
    real(8), pointer :: from(:), to(:)
    integer :: n
    if (.not. posts(request)%receives) return
    do n = 1, number
      if (posts(n)%receives .or. posts(n)%tag /= posts(request)%tag) cycle
      call c_f_pointer(posts(n)%where_it_is, from, [posts(n)%count])
      call c_f_pointer(posts(request)%where_it_is, to, [posts(request)%count])
      to = from
    end do
  end subroutine deliver
  subroutine mpi_waitall(count, requests, statuses, ierror)
    integer, intent(in) :: count, requests(*)
    integer :: statuses(1, *)
    integer, intent(out) :: ierror
    integer :: n
    do n = 1, count
      call deliver(requests(n))
    end do
    number = 0
    ierror = 0
  end subroutine mpi_waitall
  subroutine mpi_wait(request, status, ierror)
    integer, intent(inout) :: request
    integer :: status(1)
    integer, intent(out) :: ierror
    call deliver(request)
    ierror = 0
  end subroutine mpi_wait
end module mpi
"""

PROGRAM = """module NAME
  use mpi
  implicit none
  integer, parameter :: n = 6
contains
  subroutine run()
    real(8) :: a(0:n+1), b(n), got(2)
    integer :: i, s
    a = 0
    got = 0
    b = 0
    do i = 1, n
      a(i) = i
    end do
    call steps(a, b, got)
    print '(8f8.2)', a, b, got
  end subroutine run
  subroutine steps(a, b, got)
    real(8), intent(inout) :: a(0:n+1), b(n), got(2)
    integer :: requests(4), code, i, s, m
    @domainDependant{attribute(transferHere)}
    a, b, got
    @end domainDependant
    do s = 1, 3
<
      a(i) = a(i) + 0.5d0*i
>
EXCHANGE
<
      b(i) = a(i-1) + 2*a(i+1) + got(1)
>
    end do
  end subroutine steps
end module NAME
"""
HALOS = """
      call mpi_irecv(a(0), 1, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, requests(1), code)
      call mpi_irecv(a(n+1), 1, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, requests(2), code)
      call mpi_isend(a(n), 1, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, requests(3), code)
      call mpi_isend(a(1), 1, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, requests(4), code)
"""
WAITALL = "      call mpi_waitall(4, requests, MPI_STATUSES_IGNORE, code)\n"
ANOTHER = "<\n      b(i) = b(i)*0.25d0\n>\n"
SINGLE = """
      do m = 1, 4
        call MPI_Wait(requests(m), MPI_STATUS_IGNORE, code)
      end do
      number = 0
"""
SEPARATE = """
      call mpi_irecv(got, 1, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, requests(1), code)
      call mpi_isend(b(2), 1, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, requests(2), code)
<
      a(i) = a(i)*1.5d0
>
      CALL MPI_WAITALL(2, requests, MPI_STATUSES_IGNORE, code)
"""
READ_ON_HOST = HALOS + "      a(3) = a(3) + a(2)\n" + WAITALL
EXCHANGES = {
    "waitall": HALOS + WAITALL,
    "other_kernel": HALOS + ANOTHER + WAITALL,
    "waits_in_a_loop": HALOS + ANOTHER + SINGLE,
    "own_array": SEPARATE,
    "host_statement": READ_ON_HOST,
    "upper": (HALOS + WAITALL).replace("mpi_i", "MPI_I"),
}


def _text(name: str, exchange: str, region: tuple[str, str]) -> str:
    text = PROGRAM.replace("EXCHANGE\n", exchange).replace("NAME", name)
    return text.replace("<\n", region[0] + "\n").replace(">\n", region[1] + "\n")


def _pair(name: str, exchange: str) -> Pair:
    hybrid = _text(name, exchange, ("@parallelRegion{domName(i), domSize(n)}", "@end parallelRegion"))
    plain = _text(name, exchange, ("do i = 1, n", "end do"))
    begin, end = "    @domainDependant", "@end domainDependant\n"
    plain = plain[: plain.index(begin)] + plain[plain.index(end) + len(end) :]
    mpi = {"mpi.opaque.f90": MPI}
    return Pair(name, {**mpi, f"{name}.h90": hybrid}, {**mpi, f"{name}.f90": plain}, name)


PAIRS = [_pair(name, exchange) for name, exchange in EXCHANGES.items()]


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("messages"), asked_ways(request))


@pytest.mark.parametrize(("name", "variant"), in_turn(dict.fromkeys(EXCHANGES, VARIANTS)))
def test_programs(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(name, variant)


USED = "<\n      a(i) = a(i) + 1\n>\n"
REFUSED = {
    "used_on_the_device": (HALOS + USED + WAITALL, "used on the device while a message is on its way"),
    "never_ended": (HALOS, "no mpi_wait or mpi_waitall"),
    "under_a_condition": (
        HALOS + "      if (s > 1) call mpi_waitall(4, requests, MPI_STATUSES_IGNORE, code)\n",
        "condition",
    ),
    "left": (HALOS + "      if (code /= 0) exit\n" + WAITALL, "may be left before"),
    "persistent": (HALOS.replace("mpi_irecv", "mpi_recv_init", 1) + WAITALL, "keeps it for later messages"),
    "started_elsewhere": ("      call start(a, requests)\n", "the called routine does not wait for it"),
}
PLAIN = """subroutine start(field, requests)
  use mpi
  implicit none
  real(8), intent(inout) :: field(0:7)
  integer, intent(inout) :: requests(4)
  integer :: code
  call MPI_IRECV(field(7), 1, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, requests(2), code)
end subroutine start
"""


@pytest.mark.parametrize("backend", [v.options["backend"] for v in VARIANTS])
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, backend: str) -> None:
    exchange, message = REFUSED[name]
    files = {**_pair("m", exchange).hybrid, "start.f90": PLAIN}
    done = translate_text(files, target="gpu", backend=backend)
    assert set(done.codes()) == {"HF604"}
    assert any(message in d.message for d in done.errors)


MODULE = """module fields
  implicit none
  real(8) :: a(0:7)
contains
  subroutine start(request)
    use mpi
    integer, intent(out) :: request
    integer :: code
    call mpi_irecv(a(7), 1, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, request, code)
  end subroutine start
  subroutine start_all(request)
    integer, intent(out) :: request
    call start(request)
  end subroutine start_all
end module fields
"""
CALLER = """module m
  use fields
  implicit none
contains
  subroutine step()
    integer :: i, request
    @domainDependant{attribute(transferHere)}
    a
    @end domainDependant
    @parallelRegion{domName(i), domSize(6)}
    a(i) = a(i) + 1
    @end parallelRegion
    call start_all(request)
  end subroutine step
end module m
"""


def test_arrays_of_modules_in_messages_that_a_called_routine_leaves() -> None:
    done = translate_text({"fields.f90": MODULE, "m.h90": CALLER}, target="gpu", backend="cuda-c")
    assert done.codes() == ["HF604"]


def test_what_is_sent_needs_no_copy_back() -> None:
    exchange = "      call mpi_send(a(1), 1, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, code)\n"
    done = translate_text(_pair("m", exchange).hybrid, target="gpu", backend="cuda-c").require()
    assert done.text.count("call hf_update_host(a,") == 1
    assert "call hf_update_device(a," not in done.text

"""Procedures of MPI by their names: what they do to buffers, and which return before their messages have ended.

After MPI 4.1, chapters 3 to 6, 12 and 14. A buffer that is received into keeps what the message does not fill, so it
counts as read, too.
"""

from __future__ import annotations

from hfpy.model.expressions import Name
from hfpy.model.statements import Call, Statement

#: What blocking procedures do to their first arguments: ``in`` is only read.
BUFFERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("mpi_send mpi_ssend mpi_bsend mpi_rsend".split(), ("in",)),
    "mpi_recv": ("out",),
    "mpi_bcast": ("inout",),
    "mpi_sendrecv_replace": ("inout",),
    **dict.fromkeys(
        "mpi_reduce mpi_allreduce mpi_scan mpi_exscan mpi_reduce_scatter mpi_reduce_scatter_block".split(),
        ("in", "out"),
    ),
}
#: Calls whose messages are on their way when they return.
STARTING = frozenset(
    "mpi_isend mpi_issend mpi_ibsend mpi_irsend mpi_irecv mpi_imrecv mpi_isendrecv mpi_isendrecv_replace mpi_ibcast "
    "mpi_igather mpi_igatherv mpi_iscatter mpi_iscatterv mpi_iallgather mpi_iallgatherv mpi_ialltoall mpi_ialltoallv "
    "mpi_ialltoallw mpi_ireduce mpi_iallreduce mpi_ireduce_scatter mpi_ireduce_scatter_block mpi_iscan mpi_iexscan "
    "mpi_ineighbor_allgather mpi_ineighbor_allgatherv mpi_ineighbor_alltoall mpi_ineighbor_alltoallv "
    "mpi_ineighbor_alltoallw mpi_file_iread mpi_file_iread_at mpi_file_iread_all mpi_file_iread_at_all mpi_file_iwrite "
    "mpi_file_iwrite_at mpi_file_iwrite_all mpi_file_iwrite_at_all".split()
)
#: Those of them that only read their buffer.
ONLY_READ = frozenset(
    "mpi_isend mpi_issend mpi_ibsend mpi_irsend mpi_file_iwrite mpi_file_iwrite_at mpi_file_iwrite_all "
    "mpi_file_iwrite_at_all".split()
)
#: Calls after which all messages of their requests have ended.
ENDING = frozenset("mpi_wait mpi_waitall".split())
#: What keeps a buffer for longer than hfpy can follow: persistent requests, windows, partitioned messages.
KEEPING = frozenset(
    "mpi_send_init mpi_ssend_init mpi_bsend_init mpi_rsend_init mpi_recv_init mpi_psend_init mpi_precv_init "
    "mpi_bcast_init mpi_allreduce_init mpi_reduce_init mpi_alltoall_init mpi_alltoallv_init mpi_allgather_init "
    "mpi_gather_init mpi_scatter_init mpi_neighbor_alltoall_init mpi_neighbor_alltoallv_init mpi_win_create "
    "mpi_win_attach mpi_put mpi_get mpi_accumulate mpi_get_accumulate mpi_fetch_and_op mpi_compare_and_swap mpi_rput "
    "mpi_rget mpi_raccumulate mpi_rget_accumulate mpi_buffer_attach mpi_get_address mpi_address".split()
)


def procedure(statement: Statement) -> str:
    """The procedure of MPI that a statement calls, in one spelling: ``pmpi_send``, ``mpi_send_f08`` and ``MPI_Send``
    are one. Empty if it calls none.
    """
    if not isinstance(statement, Call) or not isinstance(statement.designator, Name):
        return ""
    name = statement.designator.name
    name = name[1:] if name.startswith("pmpi_") else name
    for suffix in ("_f08ts", "_f08", "_c"):
        name = name.removesuffix(suffix)
    return name if name.startswith("mpi_") else ""


def only_reads(call: str, position: int | str) -> bool:
    """Whether a procedure of MPI, as :func:`procedure` names it, only reads the argument at a position."""
    if isinstance(position, str):
        return position == "sendbuf" or (position == "buf" and BUFFERS.get(call) == ("in",))
    known = BUFFERS.get(call, ())
    return position < len(known) and known[position] == "in"

"""What programs find in their environment when hfpy starts them."""

import os
import subprocess
import sys

import pytest

from hfpy.build.environment import program_environment


@pytest.mark.parametrize(
    "given, expected",
    [
        ({}, "glibc.malloc.hugetlb=1"),
        ({"GLIBC_TUNABLES": ""}, "glibc.malloc.hugetlb=1"),
        ({"GLIBC_TUNABLES": "glibc.malloc.arena_max=2"}, "glibc.malloc.arena_max=2:glibc.malloc.hugetlb=1"),
        ({"GLIBC_TUNABLES": "glibc.malloc.hugetlb=0"}, "glibc.malloc.hugetlb=0"),
    ],
)
def test_huge_pages_are_asked_for_unless_the_user_says_otherwise(given: dict[str, str], expected: str) -> None:
    assert program_environment(given)["GLIBC_TUNABLES"] == expected


def test_what_the_user_has_set_stays() -> None:
    made = program_environment({"OMP_STACKSIZE": "7M", "OTHER": "x"})
    assert (made["OMP_STACKSIZE"], made["OTHER"]) == ("7M", "x")


def test_programs_start_with_it() -> None:
    done = subprocess.run([sys.executable, "-c", "print(1)"], env=program_environment(os.environ), capture_output=True)
    assert done.stdout == b"1\n" and done.stderr == b""

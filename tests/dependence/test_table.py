"""Cases that other tools get wrong, and those that hfpy got wrong: the verdicts of the dependence engine."""

import pytest

from hfpy.analyze.dependence.answers import Proved, Refuted, Unknown
from hfpy.analyze.dependence.queries import Engine
from tests.dependence.notation import do, meets, nest, put, run, when

PARALLEL = {
    "two inner loops": (
        [do("i", "1", "n", do("j", "1", "m", put("a(j,i)")), do("k", "1", "m", put("b(k,i)", "a(k,i)")))], "i"),
    "even and odd": ([do("i", "1", "n", put("a(2*i)", "a(2*i+1)"))], "i"),
    "diagonal": ([do("i", "1", "n", put("a(i,i)", "a(i-1,i)"))], "i"),
    "permuted places": ([do("i", "1", "n", do("k", "1", "n", put("a(i,k,i,k)", "a(i,k,k,i)")))], "ik"),
    "chunks": ([do("j", "1", "n", do("i", "j", "min(j+w-1,n)", put("a(i)", "a(i)")), step="w")], "j"),
    "flattened": ([do("j", "1", "m", do("i", "1", "n", put("a(n*(j-1)+i)", "a(n*(j-1)+i)")))], "ji"),
    "flattened, three": (
        [do("k", "1", "l", do("j", "1", "m", do("i", "1", "n", put("a(n*m*(k-1)+n*(j-1)+i)"))))],
        "kji",
    ),
    "flattened neighbour": ([do("j", "1", "m", do("i", "1", "n-1", put("a(n*(j-1)+i)", "a(n*(j-1)+i+1)")))], "j"),
    "flattened, three to a point": (
        [do("j", "1", "m", do("i", "1", "n", put("a(3*n*(j-1)+3*i)", "a(3*n*(j-1)+3*i+1)", "a(3*n*(j-1)+3*i+2)")))],
        "ji",
    ),
    "flattened with a rim": ([do("j", "1", "m", do("i", "1", "n+2", put("a((n+2)*(j-1)+i)")))], "ji"),
    "columns of their own bounds": ([do("i", "1", "n", do("k", "ks(i)", "ke(i)", put("a(k,i)", "a(k,i)")))], "i"),
    "section of a column": ([do("i", "1", "n", put("a(R(1,m),i)", "a(R(1,m),i)"))], "i"),
    "one point of k": ([do("i", "1", "n", do("k", "1", "l", when("k==1", put("a(i)", "a(i)"))))], "ik"),
    "one point of k by a value": ([do("i", "1", "n", do("k", "1", "l", when("k==kk", put("a(i)", "a(i)"))))], "ik"),
    "one point of k by a column's value": (
        [do("i", "1", "n", do("k", "1", "l", when("k==ks(i)", put("a(i)", "a(i)"))))],
        "ik",
    ),
    "stencil": ([do("i", "2", "n-1", put("a(i)", "b(i-1)", "b(i+1)"))], "i"),
    "red and black": ([do("i", "2", "n", put("a(i)", "a(i-1)", "a(i+1)"), step="2")], "i"),
    "gather": ([do("i", "1", "n", put("a(i)", "b(ix(i))"))], "i"),
    "triangle": ([do("i", "1", "n", do("j", "1", "i-1", put("a(i,j)", "a(j,i)")))], "i"),
    "row of chosen places": ([do("i", "1", "n", put("a(i,ks(i))", "a(i,1)"))], "i"),
    "halves": ([do("i", "1", "n/2", put("a(i)", "a(i+n/2)"))], "i"),
    "downwards": ([do("i", "n", "1", put("a(i)"), step="-1")], "i"),
}  # fmt: skip

MEETING = {
    "half": ([do("i", "1", "n", put("a(i/2)"))], "i"),
    "half plus one": ([do("i", "1", "n", put("a(i/2+1)", "b(i)"))], "i"),
    "around zero": ([do("i", "-1", "0", put("a(i/2)"))], "i"),
    "remainder": ([do("i", "1", "n", put("a(mod(i,2))"))], "i"),
    "flattened too far": ([do("j", "1", "m", do("i", "1", "n+1", put("a(n*(j-1)+i)")))], "j"),
    "flattened, three to a point, too far": (
        [do("j", "1", "m", do("i", "1", "n", put("a(3*n*(j-1)+3*i)", "a(3*n*(j-1)+3*i+3)")))],
        "ji",
    ),
    "flattened with a wrong stride": ([do("j", "1", "m", do("i", "1", "n", put("a((n-1)*(j-1)+i)")))], "ji"),
    "sum into one column": ([do("x", "1", "n", do("y", "1", "m", put("a(1,1,R(1,l))", "a(1,1,R(1,l))")))], "xy"),
    "recurrence": ([do("i", "2", "n", put("a(i)", "a(i-1)"))], "i"),
    "first place but for k = 1": ([do("i", "1", "n", do("k", "1", "l", when("k>1", put("a(i)", "a(i)"))))], "ik"),
    "all above k = 2": ([do("i", "1", "n", do("j", "1", "m", when("j<=2", put("a(i)", "b(i,j)"))))], "ij"),
    "induction against itself": ([do("i", "1", "n", put("a(i+1)", "a(i)"))], "i"),
    "far recurrence": ([do("i", "1", "n", put("a(i+20)", "a(i)"))], "i"),
}  # fmt: skip

BY_CONDITION = {
    "sum where data say": ([do("i", "1", "n", do("k", "1", "l", when("w(i,k)>5", put("a(i)", "a(i)"))))], "ik"),
    "set where data say": ([do("i", "1", "n", do("j", "1", "m", when("b(i,j)>0", put("a(i)", "b(i,j)"))))], "ij"),
    "one element": ([do("j", "1", "m", do("k", "1", "l", when("mk(j,k)==1", put("a(1)", "a(1)"))))], "jk"),
    "a flag of the run": ([do("j", "1", "m", when("lstat==1", put("a(1)", "a(1)")))], "j"),
    "corners": (
        [do("j", "1", "m", do("k", "1", "l", when("mk(j,k)==1",
            do("jt", "j", "j+1", do("kt", "k", "k+1", put("a(jt,kt)"))))))], "jk"),
}  # fmt: skip

BY_DISTINCT = {
    "scatter": ([do("j", "1", "m", do("k", "1", "l", put("a(ix(j,k))", "a(ix(j,k))")))], "jk"),
    "scatter under a condition": ([do("j", "1", "m", when("p(j)==1", put("a(ix(j))")))], "j"),
    "scatter, shifted": ([do("j", "1", "m", put("a(ix(j)+1)"))], "j"),
}

UNKNOWN = {
    "shift by a parameter": ([do("i", "1", "n", put("a(i)", "a(i+kk)"))], "i", "parameter"),
    "leading dimension": ([do("j", "1", "m", do("i", "1", "n", put("a(ld*(j-1)+i)")))], "j", "product"),
    "rows of a sparse matrix": (
        [do("i", "1", "n", do("k", "ptr(i)", "ptr(i+1)-1", put("a(k)", "a(k)")))],
        "i",
        "value",
    ),
}

PRIVATE = {
    "set over the same range": (
        [do("i", "1", "n", do("k", "1", "m", put("a(k)", "u(i,k)")), do("k", "1", "m", put("v(i,k)", "a(k)")))], "i"),
    "set as a whole": ([do("i", "1", "n", put("a(R(1,m))"), do("k", "1", "m", put("v(i,k)", "a(k)")))], "i"),
    "elements": ([do("i", "1", "n", put(["a(1)", "a(2)"]), put("b(i)", "a(1)", "a(2)"))], "i"),
    "bounds by data": ([do("i", "1", "n", do("k", "ks(i)", "ke(i)", put("a(k)")),
        do("k", "ks(i)", "ke(i)", put("b(k,i)", "a(k)")))], "i"),
    "column with a marked place": ([do("i", "1", "n", put("a(R(1,m))"), put("a(ks(i))"), put("z(i)", "a(R(1,m))"))],
        "i"),
    "downwards": ([do("i", "1", "n", do("k", "m", "1", put("a(k)"), step="-1"),
        do("k", "m", "1", put("b(k,i)", "a(k)"), step="-1"))], "i"),
    "recurrence that is begun": (
        [do("i", "1", "n", put("a(m+1)"), do("k", "m", "1", put("a(k)", "a(k+1)"), step="-1"))], "i"),
    "under one mask": ([do("i", "1", "n", do("k", "1", "m", when("p(k,i)", put("a(k)"))),
        do("k", "1", "m", when("p(k,i)", put("b(k,i)", "a(k)"))))], "i"),
    "under one mask in one loop": ([do("i", "1", "n", do("k", "1", "m", when("p(k,i)", put("a(k)")),
        when("p(k,i)", put("b(k,i)", "a(k)"))))], "i"),
    "on both branches": ([do("i", "1", "n", when("q(i)", put("a(1)"), other=[put("a(1)")]), put("b(i)", "a(1)"))], "i"),
    "in both parts of a branch in a loop": ([do("i", "1", "n",
        do("k", "1", "m", when("p(k,i)", put("a(k+1)"), other=[put("a(k+1)")])),
        do("k", "2", "m+1", put("b(k,i)", "a(k)")))], "i"),
    "scalar": ([do("i", "1", "n", put("a"), put("b(i)", "a"))], "i"),
    "inner loop that ends early": ([do("i", "1", "n", do("k", "1", "min(m,kx(i))", put("a(k)")),
        do("k", "1", "min(m,kx(i))", put("b(k,i)", "a(k)")))], "i"),
}  # fmt: skip

NOT_PRIVATE = {
    "one element more is read": (
        [do("i", "1", "n", do("k", "1", "m-1", put("a(k)")), do("k", "1", "m", put("v(i,k)", "a(k)")))], "i"),
    "set under a condition": ([do("i", "1", "n", when("c(i)==1", put("a")), put("b(i)", "a"))], "i"),
    "kept on one branch": (
        [do("i", "1", "n", when("q(i)", put("a", "b(i)"), other=[put("c", "b(i)")]), put("b(i)", "a"))], "i"),
    "marked place alone": ([do("i", "1", "n", put("a(ks(i))"), put("z(i)", "a(R(1,m))"))], "i"),
    "read up to the end": ([do("i", "1", "n", do("k", "1", "min(m,kx(i))", put("a(k)")),
        do("k", "1", "m", put("b(k,i)", "a(k)")))], "i"),
    "read before it is set": ([do("i", "1", "n", put("b(i)", "a(1)"), put("a(1)"))], "i"),
    "in both parts of branches that differ": ([do("i", "1", "n",
        do("k", "1", "m", when("p(k,i)", put("a(k)")), when("not p(k+1,i)", put("a(k)"))),
        do("k", "1", "m", put("b(k,i)", "a(k)")))], "i"),
    "another mask": ([do("i", "1", "n", do("k", "1", "m", when("p(k,i)", put("a(k)"))),
        do("k", "1", "m", when("p(k+1,i)", put("b(k,i)", "a(k)"))))], "i"),
}  # fmt: skip


def ask(case, **more):
    return Engine().independent(nest(case[0], list(case[1]), **more), "a")


@pytest.mark.parametrize("name", PARALLEL)
def test_parallel(name: str) -> None:
    assert ask(PARALLEL[name]) == Proved()


@pytest.mark.parametrize("name", MEETING)
def test_meeting(name: str) -> None:
    answer = ask(MEETING[name])
    assert isinstance(answer, Refuted), answer
    assert replayed(MEETING[name], answer.witness)


@pytest.mark.parametrize("name", BY_CONDITION)
def test_only_conditions_between(name: str) -> None:
    answer = ask(BY_CONDITION[name])
    assert isinstance(answer, Unknown) and answer.kind == "condition", answer
    assert answer.witness is not None and replayed(BY_CONDITION[name], answer.witness)


@pytest.mark.parametrize("name", BY_DISTINCT)
def test_index_arrays(name: str) -> None:
    answer = ask(BY_DISTINCT[name])
    assert isinstance(answer, Unknown) and (answer.kind, answer.name) == ("distinct", "ix"), answer
    assert answer.witness is not None and replayed(BY_DISTINCT[name], answer.witness)
    assert ask(BY_DISTINCT[name], distinct=("ix",)) == Proved()


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown(name: str) -> None:
    answer = ask(UNKNOWN[name])
    assert isinstance(answer, Unknown) and answer.kind == UNKNOWN[name][2], answer


def test_a_fact_of_shapes_decides() -> None:
    assert ask(UNKNOWN["leading dimension"], assumed=("ld >= n",)) == Proved()


@pytest.mark.parametrize("name", PRIVATE)
def test_private(name: str) -> None:
    body, points = PRIVATE[name]
    assert Engine().private(nest(body, list(points)), "a") == Proved()


@pytest.mark.parametrize("name", NOT_PRIVATE)
def test_not_private(name: str) -> None:
    body, points = NOT_PRIVATE[name]
    answer = Engine().private(nest(body, list(points)), "a")
    assert isinstance(answer, Unknown) and answer.kind == "exposed", answer


def test_same_value() -> None:
    both = [do("i", "1", "n", do("k", "1", "m", put("a(k)", "b(k)", value="b(k)")))]
    answer = Engine().independent(nest(both, ["i", "k"]), "a")
    assert isinstance(answer, Proved) and answer.repeated
    own = [do("i", "1", "n", do("k", "1", "m", put("a(k)", "b(i)", value="b(i)")))]
    assert isinstance(Engine().independent(nest(own, ["i", "k"]), "a"), Refuted)
    constant = [do("i", "1", "n", when("p(i)", put("a(1)", value="1")))]
    assert isinstance(Engine().independent(nest(constant, ["i"]), "a"), Proved)


def replayed(case, witness) -> bool:
    """Whether two points meet in a run with the sizes and values of a witness."""
    given = dict(witness.given)
    values = lambda name, args: given.get(f"{name}({','.join(map(str, args))})", 0)  # noqa: E731
    sizes = {"n": 3, "m": 3, "l": 3, **{k: v for k, v in given.items() if k.isidentifier()}}
    return meets(run(case[0], sizes, values), list(case[1]), "a")

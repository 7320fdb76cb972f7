"""The application after the optimiser: new texts read and analysed again, if they are without fault."""

from __future__ import annotations

from hfpy.analyze.checks import check
from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts, analyse
from hfpy.diagnostics import has_errors
from hfpy.model.application import Application
from hfpy.parse.application import with_texts
from hfpy.transform.stencil.optimise import Result, optimise, with_text


def lowered(facts: Facts, effects: Effects) -> tuple[Application, Facts, Effects, Result]:
    """What to go on with: an application with fused regions and its facts, or the one given if nothing was to be
    done or what came of it is not accepted.
    """
    application = facts.application
    result = optimise(facts, effects)
    if not result.files:
        return application, facts, effects, result
    texts = {f.path: with_text(f, result.files[f.path]) for f in application.files if f.path in result.files}
    changed, problems = with_texts(application, texts)
    after = analyse(changed)
    effects_after = Effects(after)
    problems += after.found + check(after, effects_after)
    if has_errors(problems):
        return application, facts, effects, Result({}, {}, result.refusals)
    return changed, after, effects_after, result

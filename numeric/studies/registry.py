"""The studies by name; each is imported when it is asked for."""

import difflib
import importlib
import importlib.util

from attnproof.numeric.studies.study import Study
from attnproof.symbolic.errors import InputError, MissingExtra

#: Where the study of a name stands, as ``STUDY``.
STUDIES = {
    "agreement": "attnproof.numeric.studies.agreement",
    "all-lengths": "attnproof.numeric.studies.all_lengths",
    "dtap": "attnproof.numeric.studies.dtap",
    "faults": "attnproof.numeric.studies.faults",
    "few-blocks": "attnproof.numeric.studies.few_blocks",
    "flow-adam": "attnproof.numeric.studies.flow_adam",
    "flow-attention": "attnproof.numeric.studies.flow_attention",
    "flow-reference": "attnproof.numeric.studies.flow_reference",
    "flow-starts": "attnproof.numeric.studies.flow_starts",
    "interpolation": "attnproof.numeric.studies.interpolation",
    "merged-training": "attnproof.numeric.studies.merged_training",
    "real-data": "attnproof.numeric.studies.real_data",
    "tikhonov": "attnproof.numeric.studies.tikhonov",
}


def study_of(name: str) -> Study:
    """The study of this name, or of an object's name, ``pkg.mod:STUDY`` or ``path/file.py:STUDY``.

    Raises :class:`InputError` with the nearest names for one that is not known, or for an object
    that is no study, and :class:`MissingExtra` where a module that it needs is not installed.
    """
    from attnproof.numeric.read.objects import names_object, resolve

    found: object
    if name in STUDIES:
        found = importlib.import_module(STUDIES[name]).STUDY
    elif names_object(name):
        found = resolve(name)
    else:
        near = difflib.get_close_matches(name, STUDIES, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(STUDIES)};"
        raise InputError(
            f"there is no study named {name!r}; {hint} or name an object, as in pkg.mod:STUDY or "
            "path/file.py:STUDY",
            name=name,
        )
    if not isinstance(found, Study):
        raise InputError(
            f"{name} is no study (its type is {type(found).__name__}); give a value of "
            "attnproof.numeric.studies.study.Study",
            name=name,
        )
    for module, extra in found.needs:
        if importlib.util.find_spec(module) is None:
            raise MissingExtra(f"the study {found.name}", extra)
    return found


def listed() -> list[Study]:
    """Every study of the package."""
    return [importlib.import_module(place).STUDY for place in STUDIES.values()]

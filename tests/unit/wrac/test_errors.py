"""The error tree in the docstring is the tree in the code, and errors cross process borders whole."""

import inspect
import pickle
import re

import pytest

from wrac import errors

CLASSES = [c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, errors.WracError)]


def test_docstring_draws_every_class_with_its_place():
    drawn = {}
    path = []
    for line in errors.__doc__.split("\n"):
        if match := re.match(r"^    ((?:\|   |    |\|-- |`-- )*)(\w+)", line):
            depth = len(match[1]) // 4
            path[depth:] = [match[2]]
            drawn[match[2]] = path[depth - 1] if depth else None
    assert drawn == {c.__name__: c.__bases__[0].__name__ if c is not errors.WracError else None for c in CLASSES}


@pytest.mark.parametrize("cls", [c for c in CLASSES if issubclass(c, errors.PageError)])
def test_page_errors_survive_the_way_back_from_a_worker(cls):
    error = cls("no text in body", stage="clean", page_id="p1")
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back), back.stage, back.page_id) == (cls, "no text in body", "clean", "p1")


def test_reasons_tell_page_errors_apart():
    reasons = [c.reason for c in CLASSES if issubclass(c, errors.PageError)]
    assert len(set(reasons)) == len(reasons)

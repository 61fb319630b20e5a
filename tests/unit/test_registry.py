import sys

import pytest

from deixis.errors import MissingExtraError, UnknownNameError
from deixis.registry import Lazy, LazyRegistry


def test_a_class_is_imported_when_it_is_asked_for(monkeypatch):
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    registry = LazyRegistry("function", {"hls": Lazy("colorsys:rgb_to_hls")})
    assert "colorsys" not in sys.modules and list(registry) == ["hls"] and len(registry) == 1 and "hls" in registry
    assert registry["hls"](0.0, 0.0, 0.0) == (0.0, 0.0, 0.0)


def test_an_unknown_name_is_answered_with_the_known_ones():
    registry = LazyRegistry("generator", {"alias": Lazy("a:A"), "tree": Lazy("b:B")})
    with pytest.raises(
        UnknownNameError, match=r"No generator named 'aliass'. Known: alias, tree. Did you mean 'alias'"
    ):
        registry["aliass"]


def test_a_missing_package_is_answered_with_the_extra_that_brings_it():
    registry = LazyRegistry("generator", {"dense": Lazy("no_such_package_xyz:A", extra="nearest")})
    with pytest.raises(MissingExtraError, match=r"generator 'dense' needs 'no_such_package_xyz'.*deixis\[nearest\]"):
        registry["dense"]


def test_a_broken_import_without_an_extra_is_not_disguised():
    with pytest.raises(ModuleNotFoundError):
        LazyRegistry("generator", {"broken": Lazy("no_such_package_xyz:A")})["broken"]
    with pytest.raises(ModuleNotFoundError):
        LazyRegistry("generator", {"typo": Lazy("deixis.no_such_room:A", extra="nearest")})["typo"]

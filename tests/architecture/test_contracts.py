"""The rooms of the `forbidden` contracts are those of the layers."""

import tomllib

import pytest

from tools.contracts import PYPROJECT, with_source_modules

TEXT = PYPROJECT.read_text(encoding="utf-8")


def contracts_of(text: str) -> list[dict]:
    return tomllib.loads(text)["tool"]["importlinter"]["contracts"]


def test_the_contracts_are_those_that_the_layers_make():
    assert with_source_modules(TEXT) == TEXT, "run `python tools/contracts.py`"


def test_a_new_room_gets_every_contract():
    changed = contracts_of(with_source_modules(TEXT.replace('    "xmr",\n', '    "xmr",\n    "attic",\n', 1)))
    forbidden = [contract for contract in changed if contract["type"] == "forbidden"]
    assert len(forbidden) == 6
    assert all("deixis.attic" in contract["source_modules"] for contract in forbidden)


def test_a_contract_spares_the_room_that_its_name_ends_with():
    for contract in contracts_of(TEXT)[1:]:
        home = "deixis." + contract["name"].split()[-1]
        assert home not in contract["source_modules"]


def test_a_contract_whose_name_ends_with_no_room_is_refused():
    with pytest.raises(SystemExit, match="last word must be a room"):
        with_source_modules(TEXT.replace("stays in cli", "stays where it is"))

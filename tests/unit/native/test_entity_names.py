"""What the names of candidates say of mentions is what NumPy says of the same keys, however the entities lie."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.native import _core
from deixis.ranking.own_names import NameColumns, beginnings, name_keys
from deixis.store.strings import StringTable

NAMES = ["Norway", "norwegian", "FDA", "N.Y.", "Москва", "москвич", "Новгород", "Rom", "New York", ""]
N_ROWS = 7


def facts(rng):
    """Facts of some entities, whose names are among `NAMES`; of each name its key and its beginning."""
    keys, starts = name_keys(NAMES, 1), beginnings(NAMES, 1)
    indptr = [np.concatenate([[0], np.cumsum(rng.integers(0, 4, N_ROWS))]).astype(np.uint32) for _ in range(2)]
    return {
        "keys": rng.choice(keys, (N_ROWS, 2)),
        "popularity": rng.random(N_ROWS, dtype=np.float32),
        "log_sizes": rng.random((N_ROWS, 2), dtype=np.float32),
        "initials": rng.choice(keys, N_ROWS),
        "is_name_page": rng.integers(0, 2, N_ROWS).astype(np.uint8),
        "stated_starts": indptr[0],
        "stated": rng.choice(keys, indptr[0][-1]),
        "begun_starts": indptr[1],
        "begun": rng.choice(starts, indptr[1][-1]),
    }


def parts_of(columns, cuts):
    """The same as `EntityNames` takes them, in parts that begin at these rows."""
    parts = {name: [] for name in columns}
    for first, last in zip([0, *cuts], [*cuts, N_ROWS], strict=True):
        for name, column in columns.items():
            if name in ("stated", "begun"):
                ends = columns[f"{name}_starts"][[first, last]]
                parts[name].append(column[ends[0] : ends[1]])
            elif name.endswith("_starts"):
                parts[name].append(column[first : last + 1] - column[first])
            else:
                parts[name].append(column[first:last].reshape(-1))
    return parts


def expected(columns, keys, starts, initials, row, alias):
    """The numbers of one candidate; `alias` is None where it is not known whether the mention is its name."""
    stated, begun = (
        columns[name][columns[f"{name}_starts"][row] : columns[f"{name}_starts"][row + 1]]
        for name in ("stated", "begun")
    )
    is_initials = initials != 1 and columns["initials"][row] == initials
    is_stated = keys in stated and alias is not False
    is_named = alias is True and not is_initials and not is_stated
    is_begun = starts != 0 and starts in begun and not is_named
    popularity = columns["popularity"][row]
    return NameColumns(
        columns["keys"][row, 0] == keys, columns["keys"][row, 1] == keys, is_initials, is_stated, is_named,
        popularity if is_begun else 0, 1 - columns["is_name_page"][row], popularity, *columns["log_sizes"][row],
    )  # fmt: skip


@given(
    seed=st.integers(0, 2**32 - 1),
    cuts=st.sets(st.integers(1, N_ROWS - 1), max_size=2),
    knows_aliases=st.booleans(),
    n_threads=st.sampled_from([1, 3]),
)
def test_names_are_compared_as_one_by_one(seed, cuts, knows_aliases, n_threads):
    rng = np.random.default_rng(seed)
    columns = facts(rng)
    names = rng.choice(NAMES, 4).tolist()
    keys, begun = name_keys(names, 1), beginnings(names, 1)
    initials = np.where(rng.integers(0, 2, 4), keys, 1).astype(np.uint64)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 30, 4))]).astype(np.int64)
    rows = rng.integers(0, N_ROWS, starts[-1])
    alias = rng.integers(0, 2, len(rows)).astype(np.float32) if knows_aliases else np.zeros(0, np.float32)
    table = StringTable.from_strings(names)
    compared = _core.EntityNames(**parts_of(columns, sorted(cuts))).columns(
        table.data, table.offsets, initials, starts, rows, alias, n_threads
    )
    numbers = np.repeat(np.arange(4), np.diff(starts))
    wanted = [
        expected(columns, keys[n], begun[n], initials[n], row, bool(alias[at]) if knows_aliases else None)
        for at, (n, row) in enumerate(zip(numbers, rows, strict=True))
    ]
    assert compared.reshape(len(NameColumns._fields), -1).T.tolist() == [
        [float(one) for one in each] for each in wanted
    ]


def test_facts_that_do_not_fit_are_refused():
    parts = parts_of(facts(np.random.default_rng(0)), [])
    names = _core.EntityNames(
        **{name: parts[name] if name in ("keys", "popularity", "log_sizes") else [] for name in parts}
    )
    none, nothing = np.zeros(0, np.uint64), np.zeros(0, np.float32)
    paris = StringTable.from_strings(["Paris"])
    both = np.array([0, 2])
    columns = names.columns(paris.data, paris.offsets, none, both, np.array([1, 5]), nothing, 1).reshape(-1, 2)
    assert columns[NameColumns._fields.index("thing")].tolist() == [1, 1]
    with pytest.raises(ValueError, match=r"rows\[1\] is 7; it must lie in 0..6"):
        names.columns(paris.data, paris.offsets, none, both, np.array([1, 7]), nothing, 1)
    with pytest.raises(ValueError, match="alias has 1 items; it needs 2"):
        names.columns(paris.data, paris.offsets, none, both, np.array([1, 2]), np.ones(1, np.float32), 1)
    with pytest.raises(ValueError, match="Each part needs all names of its own"):
        _core.EntityNames(**parts | {"begun": []})
    with pytest.raises(ValueError, match="keys has 12 items; it needs 14"):
        _core.EntityNames(**parts | {"keys": [parts["keys"][0][:12]]})

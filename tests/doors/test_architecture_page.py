"""docs/explanation/architecture.md is true: its example runs, and its list of rooms is that of the code."""

import doctest

from tools.make_rooms import PAGE, page


def test_one_mention_goes_through_the_stages_as_the_page_says():
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    results = doctest.testfile(str(PAGE), module_relative=False, optionflags=options)
    assert results.attempted > 15
    assert results.failed == 0


def test_the_list_of_rooms_is_that_of_the_code():
    assert page() == PAGE.read_text(encoding="utf-8"), "run: python tools/make_rooms.py"

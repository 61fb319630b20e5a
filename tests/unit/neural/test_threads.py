import pytest
import torch

from deixis.neural.threads import torch_threads


def test_threads_are_those_asked_for_inside_and_as_before_after_an_error():
    before = torch.get_num_threads()
    with pytest.raises(KeyError), torch_threads(before + 1):
        assert torch.get_num_threads() == before + 1
        raise KeyError
    assert torch.get_num_threads() == before


def test_no_number_leaves_torch_its_own():
    before = torch.get_num_threads()
    with torch_threads(0):
        assert torch.get_num_threads() == before

import numpy as np
import pytest

from deixis.candidates.training_rows import Instances, PseudoInstancesConfig, make_instances
from deixis.kb.knowledge_base import KnowledgeBase

KB = KnowledgeBase.from_records(
    [
        {"id": "city", "title": "Paris", "aliases": ["City of Light"], "description": "capital of France"},
        {"id": "prince", "title": "PARIS!", "description": "prince of Troy"},
        {"id": "film", "title": "Paris, Texas"},
    ]
)


def labelled(instances: Instances) -> list[tuple[str, str, list[int]]]:
    """Mention, context and rows of entities, one triple per instance."""
    matrix = instances.docs_by_labels
    assert matrix.shape == (len(instances.mentions), len(KB)) and len(instances.contexts) == len(instances.mentions)
    assert set(matrix.data.tolist()) <= {1.0}
    rows = [sorted(matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]].tolist()) for i in range(matrix.shape[0])]
    return list(zip(instances.mentions, instances.contexts, rows, strict=True))


def test_the_papers_recipe_is_one_instance_of_title_and_description_per_entity():
    made = make_instances(KB, PseudoInstancesConfig(has_descriptions=True, has_names=False, max_shared=0))
    assert labelled(made) == [
        ("Paris", "capital of France", [0]),
        ("PARIS!", "prince of Troy", [1]),
        ("Paris, Texas", "", [2]),
    ]


def test_names_that_differ_in_case_and_punctuation_are_one_instance_of_all_their_entities():
    made = labelled(make_instances(KB, PseudoInstancesConfig(has_descriptions=False, max_shared=0)))
    assert sorted(made) == [("City of Light", "", [0]), ("Paris", "", [0, 1]), ("Paris, Texas", "", [2])]


def test_rare_words_of_longer_names_are_instances_of_all_who_share_them():
    config = PseudoInstancesConfig(has_descriptions=False, has_names=False, max_shared=1)
    assert ("texas", "", [2]) in labelled(make_instances(KB, config))
    shared = KnowledgeBase.from_records([{"id": str(n), "title": f"Mount {n}"} for n in range(3)])
    for limit, is_made in ((2, False), (3, True)):
        made = make_instances(shared, PseudoInstancesConfig(has_descriptions=False, has_names=False, max_shared=limit))
        assert ("mount" in list(made.mentions)) == is_made


def test_descriptions_are_left_out_where_no_context_is_looked_at():
    assert not any(context for _, context, _ in labelled(make_instances(KB, PseudoInstancesConfig(), False)))


def test_there_is_always_something_to_learn_from():
    nothing = PseudoInstancesConfig(has_descriptions=False, has_names=False, max_shared=0)
    assert len(make_instances(KB, nothing).mentions) == 3
    only_descriptions = PseudoInstancesConfig(has_descriptions=True, has_names=False, max_shared=0)
    assert len(make_instances(KB, only_descriptions, has_context=False).mentions) == 3


def test_every_entity_has_an_instance_even_if_its_name_has_no_words():
    kb = KnowledgeBase.from_records([{"id": "a", "title": "!!!"}, {"id": "b", "title": "?"}, {"id": "c", "title": "x"}])
    matrix = make_instances(kb, PseudoInstancesConfig()).docs_by_labels
    assert (np.diff(matrix.tocsc().indptr) > 0).all()


def test_joined_instances_keep_their_order():
    made = make_instances(KB, PseudoInstancesConfig(has_names=False, max_shared=0))
    twice = Instances.joined([made, made])
    assert labelled(twice) == labelled(made) * 2


@pytest.mark.parametrize("has_context", [True, False])
def test_instances_are_the_same_every_time(has_context):
    one, two = (make_instances(KB, PseudoInstancesConfig(), has_context) for _ in range(2))
    assert labelled(one) == labelled(two)

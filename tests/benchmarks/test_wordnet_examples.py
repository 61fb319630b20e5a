from benchmarks.suites.wordnet_examples import example_documents, find_lemma
from deixis.kb.formats.wordnet import parse_synset

LINE = (
    "00006885 00 s 03 assimilating 0 assimilative(p) 0 take_in 0 003 & 00006336 a 0000 + 01540060 v 0301 "
    '| capable of taking (gas, light) into a solution; "an assimilative substance"; "roots taking in water"  \n'
)


def found(lemma, example):
    span = find_lemma(lemma, example)
    return None if span is None else example[slice(*span)]


def test_a_lemma_is_found_inflected_and_as_it_stands():
    assert found("take in", "roots Taking in water") == "Taking in"
    assert found("dock", "dock the ships") == "dock"
    assert found("run", "the runner") == "runner"
    assert found("dock", "haddock for lunch") is None


def test_each_example_makes_at_most_one_document_with_one_mention():
    documents = list(example_documents([parse_synset("a", LINE)]))
    assert [document.id for document in documents] == ["a00006885#1", "a00006885#2"]
    assert [document.text for document in documents] == ["an assimilative substance", "roots taking in water"]
    assert [[(m.text, m.entity) for m in document.mentions] for document in documents] == [
        [("assimilative", "a00006885")],
        [("taking in", "a00006885")],
    ]
    assert documents[1].text[slice(documents[1].mentions[0].start, documents[1].mentions[0].end)] == "taking in"

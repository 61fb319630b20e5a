import numpy as np

from benchmarks.xmc.sentence_set import sentence_set

WORDS = "It lives by lakes and rivers."


def pages(n):
    for page in range(n):
        yield {
            "id": f"p{page}",
            "title": f"Page {page}",
            "description": f"Page {page} has so many words. {WORDS} {WORDS}",
        }
    yield {"id": "short", "title": "Short", "description": f"{WORDS} {WORDS}"}


def test_every_page_has_two_documents_and_no_sentence_is_learned_and_judged():
    made = sentence_set(pages(6), n_pages=5)
    train, dev, test = (made.part(name) for name in ("train", "dev", "test"))
    assert (len(made.vocabulary), len(train), len(dev), len(test)) == (5, 10, 2, 2)
    assert np.bincount(train.docs_by_labels.indices).tolist() == [2] * 5
    ids = [*train.ids, *dev.ids, *test.ids]
    assert len(set(ids)) == len(ids) and made.vocabulary.row_of("short") is None
    assert all(text == WORDS for text in [*dev.texts, *test.texts])


def test_the_page_is_the_label_of_its_sentences():
    made = sentence_set(pages(6), n_pages=5)
    train = made.part("train")
    for text, label in zip(list(train.texts)[::2], train.docs_by_labels.indices[::2].tolist(), strict=True):
        assert text.startswith(made.vocabulary.title(label))

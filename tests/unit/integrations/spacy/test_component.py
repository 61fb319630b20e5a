"""The component of spaCy pipelines: what it writes into documents, and where its model goes."""

import functools
import pickle

import pytest

spacy = pytest.importorskip("spacy", reason="spaCy is not installed")

from spacy.tokens import Doc, DocBin, Span  # noqa: E402
from spacy.training import Example  # noqa: E402

from deixis.documents.reading import read_documents  # noqa: E402
from deixis.errors import ConfigError, StoreError, UnknownNameError  # noqa: E402
from deixis.kb.demo import demo_sentences_path, read_demo  # noqa: E402
from deixis.kb.knowledge_base import KnowledgeBase  # noqa: E402
from deixis.linker import Linker  # noqa: E402
from deixis.types import Mention  # noqa: E402

KB = KnowledgeBase.from_records(
    [
        {"id": "paris_city", "title": "Paris", "types": ["city"], "description": "capital of France on the Seine"},
        {"id": "paris_trojan", "title": "Paris", "types": ["hero"], "description": "prince of Troy who took Helen"},
        {"id": "troy", "title": "Troy", "types": ["city"], "description": "ancient city besieged by the Greeks"},
        {"id": "new_troy", "title": "New Troy", "types": ["village"], "description": "a village in Michigan"},
    ]
)
TEXT = "😀 To save Troy, Paris had to be sacrificed by the Greeks."


@functools.cache
def linker():
    return Linker.build(KB, n_threads=1)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "model"
    linker().save(folder)
    return str(folder)


def pipeline(model=None, patterns=(), **config):
    """A blank English pipeline with our component, and before it one that knows entities by heart."""
    nlp = spacy.blank("en")
    if patterns:
        nlp.add_pipe("entity_ruler").add_patterns([{"label": "GUESS", "pattern": pattern} for pattern in patterns])
    pipe = nlp.add_pipe("deixis", config={"model": model, "n_threads": 1, **config})
    if model is None:
        pipe.linker = linker()
    return nlp


def links(doc):
    return [(ent.text, ent.kb_id_) for ent in doc.ents]


def everything(doc):
    groups = [doc.ents, doc.spans["deixis"]]
    return [[(s.start, s.end, s.label_, s.kb_id_, s._.kb_ents) for s in group] for group in groups]


def test_names_in_a_text_are_linked(model):
    doc = pipeline(model)(TEXT)
    assert links(doc) == [("Troy", "troy"), ("Paris", "paris_trojan")]
    assert {ent.label_ for ent in doc.ents} == {"ENTITY"}
    assert doc[3].ent_kb_id_ == "troy"


def test_candidates_are_pairs_of_id_and_score_best_first(model):
    doc = pipeline(model)(TEXT)
    (mention,) = [mention for mention in linker().link(TEXT).mentions if mention.text == "Paris"]
    assert doc.ents[1]._.kb_ents == [(c.id, pytest.approx(c.score, rel=1e-6)) for c in mention.candidates]
    assert doc.ents[1]._.kb_ents[0][0] == doc.ents[1].kb_id_
    assert doc[0:1]._.kb_ents == []


def test_entities_are_those_that_the_linker_gives():
    built = Linker.build(read_demo(), n_threads=1)
    nlp = spacy.blank("xx")
    nlp.add_pipe("deixis").linker = built
    texts = [document.text for document in read_documents(demo_sentences_path())][:120]
    n_links = 0
    for doc, linked in zip(nlp.pipe(texts), built.link_many(texts), strict=True):
        wanted = {(m.start, m.end): m.entity for m in linked.mentions if m.entity is not None}
        whole = {span: entity for span, entity in wanted.items() if doc.char_span(*span) is not None}
        got = {(ent.start_char, ent.end_char): ent.kb_id_ for ent in doc.ents if ent.kb_id_ != "NIL"}
        assert whole.items() <= got.items()
        n_links += len(whole)
    assert n_links > 100


@pytest.mark.parametrize("types", [None, ["place"]], ids=["all", "places"])
def test_entities_are_the_mentions_that_the_linker_takes_alone(types):
    names = {"Manchester": "place", "United": "club", "Manchester United": "club", "Troy": "place", "New Troy": "place"}
    kb = KnowledgeBase.from_records([{"id": name, "title": name, "types": [kind]} for name, kind in names.items()])
    built = Linker.build(kb, n_threads=1)
    nlp = spacy.blank("en")
    nlp.add_pipe("deixis", config={"types": types}).linker = built
    n_kept = n_taken = 0
    for text in ("Manchester United won.", "New Troy, not Troy.", "To United Manchester and back"):
        doc, alone = nlp(text), built.link(text, types=types).mentions
        kept = built.link(text, types=types, overlaps="keep").mentions
        assert links(doc) == [(each.text, each.entity or "NIL") for each in alone]
        assert [span.text for span in doc.spans["deixis"]] == [each.text for each in kept]
        n_kept, n_taken = n_kept + len(kept), n_taken + len(alone)
    assert n_kept >= n_taken > 0


def test_given_entities_are_linked_and_no_others_are_looked_for():
    nlp = pipeline(patterns=["Troy", "the Greeks", "Rome"], spans="ents")
    docs = list(nlp.pipe([TEXT, "Paris fell.", "", "Rome"]))
    assert [(ent.text, ent.label_) for ent in docs[0].ents] == [("Troy", "GUESS"), ("the Greeks", "GUESS")]
    assert docs[0].ents[0].kb_id_ == "troy"
    assert [len(doc.ents) for doc in docs] == [2, 0, 0, 1]
    assert [len(doc.spans["deixis"]) for doc in docs] == [2, 0, 0, 1]


def test_own_names_go_beside_entities_that_were_there():
    doc = pipeline(patterns=["the Greeks", "Paris had", "Troy"])(TEXT)
    assert [(ent.text, ent.label_, ent.kb_id_) for ent in doc.ents] == [
        ("Troy", "GUESS", "troy"),
        ("Paris", "ENTITY", "paris_trojan"),
        ("the Greeks", "GUESS", ""),
    ]


def test_both_finds_what_either_finds():
    text = "The prince Paris fled from Trooy."
    assert links(pipeline(patterns=["Trooy"])(text)) == [("Paris", "paris_trojan"), ("Trooy", "")]
    doc = pipeline(patterns=["Trooy"], spans="both")(text)
    assert links(doc) == [("Paris", "paris_trojan"), ("Trooy", "NIL")]
    assert [ent.label_ for ent in doc.ents] == ["ENTITY", "GUESS"]


@pytest.mark.parametrize("spans", ["ents", "both"])
@pytest.mark.parametrize("types", [None, ["hero"]], ids=["all", "heroes"])
def test_given_entities_that_mean_nothing_are_nil(types, spans):
    nlp = pipeline(patterns=["Xyzzyx", "Paris"], spans=spans, types=types, nil_id="NOTHING")
    doc = nlp("The prince Paris saw old Xyzzyx.")
    assert [(ent.text, ent.label_, ent.kb_id_) for ent in doc.ents] == [
        ("Paris", "GUESS", "paris_trojan"),
        ("Xyzzyx", "GUESS", "NOTHING"),
    ]
    assert [(span.text, span.kb_id_) for span in doc.spans["deixis"]] == links(doc)


def test_documents_with_one_text_do_not_lend_each_other_entities():
    nlp = pipeline(spans="both")
    docs = [nlp.make_doc("in old trooy") for _ in range(70)]  # more than are linked together
    for number in (1, 66):
        docs[number].ents = [Span(docs[number], 1, 3, label="GUESS")]
    spans = [[span.text for span in doc.spans["deixis"]] for doc in nlp.pipe(docs, batch_size=100)]
    linked = [number for number, own in enumerate(spans) if "old trooy" in own]
    assert linked == [1, 66]


def test_overlapping_spans_are_in_the_span_group_and_the_best_are_entities():
    nlp = spacy.blank("en")
    nlp.add_pipe("deixis", config={"spans": "both"}).linker = linker()
    doc = nlp.make_doc("They saw New Troy.")
    doc.ents = [Span(doc, 3, 4, label="GUESS")]
    doc = nlp.get_pipe("deixis")(doc)
    assert [(span.text, span.kb_id_) for span in doc.spans["deixis"]] == [("New Troy", "new_troy"), ("Troy", "troy")]
    assert links(doc) == [("New Troy", "new_troy")]


@pytest.mark.parametrize(
    ("alignment", "found"), [("expand", ["Troy/Paris"]), ("contract", []), ("strict", [])], ids=lambda value: str(value)
)
def test_names_that_end_inside_a_token(alignment, found):
    nlp = pipeline(alignment=alignment)
    doc = Doc(nlp.vocab, words=["Then", "Troy/Paris", "fell"])
    doc = nlp.get_pipe("deixis")(doc)
    assert [ent.text for ent in doc.ents] == found
    assert [span.text for span in doc.spans["deixis"]] == found


def test_what_means_nothing_known_is_nil_or_what_the_settings_say():
    patterns = ["the Greeks"]
    assert links(pipeline(patterns=patterns, spans="ents", threshold=1.0)(TEXT)) == [("the Greeks", "NIL")]
    assert links(pipeline(patterns=patterns, spans="ents", threshold=1.0, nil_id="-")(TEXT)) == [("the Greeks", "-")]


def test_filters_are_the_linkers():
    assert links(pipeline(types=["hero"])(TEXT)) == [("Paris", "paris_trojan")]
    assert links(pipeline(ids=["paris_city"])(TEXT)) == [("Paris", "paris_city")]
    with pytest.raises(UnknownNameError, match="Did you mean 'hero'"):
        pipeline(types=["heroe"])(TEXT)


def test_names_and_keys_are_as_the_settings_say():
    doc = pipeline(label="THING", spans_key="links")(TEXT)
    assert {ent.label_ for ent in doc.ents} == {"THING"} and list(doc.spans) == ["links"]


TEXTS = [TEXT, "no names", "", "In New Troy it rains.", "Paris on the Seine"] * 3


def test_batches_and_single_texts_give_the_same():
    nlp = pipeline()
    assert [everything(doc) for doc in nlp.pipe(TEXTS, batch_size=4)] == [everything(nlp(text)) for text in TEXTS]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")  # from Python 3.12 on
def test_several_processes_give_the_same(model):
    nlp = pipeline(model)
    one = [everything(doc) for doc in nlp.pipe(TEXTS)]
    assert [everything(doc) for doc in nlp.pipe(TEXTS, n_process=2, batch_size=4)] == one


def test_a_pipeline_on_disk_has_its_own_copy_of_the_model(tmp_path):
    linker().save(tmp_path / "model")
    nlp = pipeline(str(tmp_path / "model"), label="THING")
    before = everything(nlp(TEXT))
    nlp.to_disk(tmp_path / "pipeline")
    (tmp_path / "model").rename(tmp_path / "gone")
    loaded = spacy.load(tmp_path / "pipeline")
    assert everything(loaded(TEXT)) == before
    loaded.to_disk(tmp_path / "pipeline")  # over the model that it reads from
    assert everything(spacy.load(tmp_path / "pipeline")(TEXT)) == before


def test_a_pipeline_in_bytes_has_the_model():
    nlp, other = pipeline(), spacy.blank("en")
    other.add_pipe("deixis")
    assert everything(other.from_bytes(nlp.to_bytes())(TEXT)) == everything(nlp(TEXT))
    assert nlp.to_bytes() == nlp.to_bytes()


@pytest.mark.parametrize("is_in_folder", [True, False])
def test_a_component_goes_to_processes_that_are_not_forked(is_in_folder, model):
    pipe = pipeline(model if is_in_folder else None).get_pipe("deixis")
    data = pickle.dumps(pipe)
    assert (len(data) < 2000) == is_in_folder
    docs = [each(spacy.blank("en").make_doc(TEXT)) for each in (pipe, pickle.loads(data))]
    assert everything(docs[0]) == everything(docs[1])


def test_stored_documents_keep_links_and_candidates():
    nlp = pipeline()
    doc = nlp(TEXT)
    (stored,) = DocBin(store_user_data=True, docs=[doc]).get_docs(nlp.vocab)
    assert everything(stored) == everything(doc)
    joined = Doc.from_docs([doc, doc])
    assert [ent._.kb_ents for ent in joined.ents] == 2 * [ent._.kb_ents for ent in doc.ents]


def test_a_component_without_a_model_says_what_to_do(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("deixis")
    with pytest.raises(ConfigError, match=r'config=\{"model": "model/"\}'):
        nlp("Troy")
    with pytest.raises(StoreError, match="No model at"):
        pipeline(str(tmp_path / "no-model"))("Troy")


def test_settings_that_are_not_allowed_are_refused():
    for wrong in ({"spans": "mine"}, {"alignment": "shrink"}, {"modle": "model"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            pipeline(**wrong)


def test_an_error_goes_to_the_pipelines_error_handler():
    nlp = pipeline(types=["no such type"])
    failed = []
    nlp.set_error_handler(lambda name, proc, docs, error: failed.append((name, len(docs), type(error))))
    assert list(nlp.pipe(["Troy", "Paris"])) == []
    assert failed == [("deixis", 2, UnknownNameError)]


def test_spacy_can_score_the_links():
    nlp = pipeline()
    gold = nlp.make_doc(TEXT)
    gold.ents = [Span(gold, 3, 4, label="ENTITY", kb_id="troy"), Span(gold, 5, 6, label="ENTITY", kb_id="paris_city")]
    scores = nlp.evaluate([Example(nlp.make_doc(TEXT), gold)])
    assert (scores["nel_micro_p"], scores["nel_micro_r"]) == (0.5, 0.5)


def test_spacys_own_analysis_finds_no_problem(model):
    analysis = pipeline(model).analyze_pipes()
    assert "doc.ents" in analysis["summary"]["deixis"]["assigns"]
    assert not analysis["problems"]["deixis"]


def test_spans_have_the_scores_of_their_mentions(model):
    doc = pipeline(model)(TEXT)
    mentions = {mention.text: mention for mention in linker().link(TEXT).mentions}
    for ent in doc.ents:
        mention = mentions[ent.text]
        assert ent._.kb_score == pytest.approx(mention.score, rel=1e-6)
        assert (ent._.kb_mention_score, ent._.kb_entity_score) == (mention.mention_score, mention.entity_score)
        assert ent._.kb_nil_reason == mention.nil_reason
    assert doc[0:1]._.kb_score is None


def test_a_span_says_why_it_is_not_linked():
    nlp = pipeline()
    told = Mention(10, 14, "Troy", is_nil=True, mention_score=0.5, entity_score=0.25, nil_reason="ambiguous")
    span = nlp.get_pipe("deixis")._span(nlp.make_doc(TEXT), (3, 4), told, None)
    assert (span.kb_id_, span._.kb_nil_reason) == ("NIL", "ambiguous")
    assert (span._.kb_mention_score, span._.kb_entity_score) == (0.5, 0.25)

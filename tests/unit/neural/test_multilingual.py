"""Encoders built like XLM-R go all the way: marked, trained, exported, read as pairs, used without torch.

The second language is the first with other letters, so that what an entity of one is in the other is known.
"""

import json
from dataclasses import replace

import numpy as np
import pytest

from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.neural.bi_encoder.config import BiEncoderConfig
from deixis.neural.cross_encoder.pairs import MARKER, PairConfig
from deixis.types import Document, Mention, MentionInContext
from tests.tiny_encoders import N_DIMS, tiny_multilingual_encoder

pytest.importorskip("sentence_transformers")
import torch
from sentence_transformers import SentenceTransformer

from deixis.candidates.candidate_lists import candidate_lists
from deixis.candidates.config import SourcesConfig
from deixis.candidates.source import SourceInputs
from deixis.candidates.sources.name_vectors import NameVectorConfig
from deixis.candidates.sources.vectors import VectorConfig, VectorSource
from deixis.encoders.config import EncoderConfig
from deixis.encoders.onnx import OnnxEncoder
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.linking.streams import rank_mentions
from deixis.nearest.vector_index import VectorIndex
from deixis.neural.bi_encoder.linked_mentions import LinkedMentions, gold_ranks
from deixis.neural.bi_encoder.model import BiEncoder
from deixis.neural.bi_encoder.train import train_bi_encoder
from deixis.neural.cross_encoder.scorer import OnnxPairScorer
from deixis.neural.cross_encoder.texts import PairTexts
from deixis.neural.cross_encoder.train import open_cross_encoder, separator
from deixis.neural.onnx_export import pair_scorer_to_onnx
from deixis.neural.windows import TokenWindows

COLOURS = "red blue green old new big small wet".split()
THINGS = "house river ship train tower".split()
OTHER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщ")


def entities(lang):
    """The things in one language, each told apart by one word of its description."""
    return KnowledgeBase.from_records(
        {"id": f"{colour}-{thing}", "title": said(thing, lang), "description": said(f"the {thing} is {colour}", lang)}
        for colour in COLOURS
        for thing in THINGS
    )


def said(text, lang):
    return text.translate(OTHER) if lang == "b" else text


def stories(n, lang, seed=0):
    random = np.random.default_rng(seed)
    documents = []
    for number in range(n):
        colour, thing = COLOURS[random.integers(len(COLOURS))], THINGS[random.integers(len(THINGS))]
        mention = Mention(9, 9 + len(thing), said(thing, lang), f"{colour}-{thing}")
        text = said(f"we saw a {thing} and it was {colour}", lang)
        documents.append(Document(f"{lang}{number}", text, lang=lang, mentions=(mention,)))
    return documents


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    texts = [document.text for lang in "ab" for document in stories(100, lang)]
    texts += [said("the is", lang) for lang in "ab"] + ["東京は日本の首都です", "القاهرة عاصمة مصر"]
    return tiny_multilingual_encoder(tmp_path_factory.mktemp("tiny") / "encoder", texts)


@pytest.fixture(scope="module")
def encoder(folder):
    return BiEncoder.open(folder, n_tokens=16)


def test_the_marker_is_one_token_and_takes_no_space_with_it(encoder):
    tokenizer = encoder.model.tokenizer
    read = tokenizer("we saw [M] house [M] and")["input_ids"]
    expected = ["<s>", "▁we", "▁saw", MARKER, "▁house", MARKER, "▁and", "</s>"]
    assert tokenizer.convert_ids_to_tokens(read) == expected
    assert len(encoder.model.transformers_model.get_input_embeddings().weight) == len(tokenizer)
    assert "token_type_ids" not in tokenizer("a", "b")


def test_nothing_of_a_full_window_is_cut_in_any_script(encoder):
    texts = [
        "昨日の夜" * 9 + "東京" + "へ行きました" * 9,
        "أمس " * 20 + "القاهرة" + " أمس" * 20,
        "a " * 40 + "ship" + " a" * 40,
    ]
    names = ["東京", "القاهرة", "ship"]
    mentions = [MentionInContext(n, t, t.index(n), t.index(n) + len(n)) for n, t in zip(names, texts, strict=True)]
    windows = encoder.texts.of_mentions(mentions)
    read = encoder.model.preprocess(windows)
    assert read["input_ids"].shape[1] == 18 and set(read) >= {"input_ids", "attention_mask"}
    lengths = read["attention_mask"].sum(1).tolist()
    assert lengths == [n + 2 for n in encoder.texts.windows.n_tokens(windows)] and min(lengths) >= 14
    for row, name in zip(read["input_ids"], names, strict=True):
        assert row.tolist().count(encoder.model.tokenizer.convert_tokens_to_ids(MARKER)) == 2, name


def test_places_of_padding_are_not_counted_as_room(folder):
    assert BiEncoder.open(folder, n_tokens=126).model.max_seq_length == 128
    with pytest.raises(ConfigError, match="is 129, and the encoder reads 128"):
        BiEncoder.open(folder, n_tokens=127)
    with pytest.raises(ConfigError, match=r"pairs\.n_tokens is 130, and the encoder reads 128"):
        open_cross_encoder(str(folder), 130)


def test_without_torch_the_vectors_are_the_same_and_texts_of_any_length_have_one(encoder, tmp_path):
    encoder.save(tmp_path, with_graph=True)
    without = OnnxEncoder.from_folder(tmp_path)
    texts = ["we saw [M] house [M]", "", "東京は日本の首都です", "القاهرة", "ship " * 300, "🥐" * 300]
    np.testing.assert_allclose(without.encode(texts), encoder.encode(texts), atol=1e-5)
    again = OnnxEncoder.from_arrays(without.to_arrays("x"), "x")
    np.testing.assert_allclose(again.encode(texts[::-1])[::-1], without.encode(texts), atol=1e-5)
    for name in ("sentence_bert_config.json", "tokenizer_config.json"):
        (tmp_path / name).unlink()
    assert OnnxEncoder.from_folder(tmp_path).encode(["ship " * 600]).shape == (1, N_DIMS)  # 130 places, 128 tokens


def test_pairs_with_two_separators_have_room_and_score_alike_without_torch(folder):
    torch.manual_seed(0)
    model = open_cross_encoder(str(folder), 48)
    graph = np.frombuffer(pair_scorer_to_onnx(model), dtype=np.uint8)
    stored = np.frombuffer(model.tokenizer.backend_tokenizer.to_str().encode(), dtype=np.uint8)
    texts = PairTexts(TokenWindows.from_bytes(stored.tobytes()), separator(model), PairConfig(n_tokens=48))
    assert separator(model) == "</s>"
    kb = KnowledgeBase.from_records(
        [{"id": "1", "title": "ship " * 30, "description": "the old ship " * 40}, {"id": "2", "title": "東京"}]
    )
    text = "a " * 60 + "old old ship" + " a" * 60
    asked = [MentionInContext("old old ship", text, 120, 132), MentionInContext("東京", "東京は日本", 0, 2)]
    pairs = texts.pairs(kb, asked, np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    lengths = [len(model.tokenizer(*pair)["input_ids"]) for pair in pairs]
    assert max(lengths) == 48  # full, and nothing is cut in training that is read in use
    ends = model.tokenizer(*pairs[0])["input_ids"].count(model.tokenizer.sep_token_id)
    assert ends == 5  # two between the halves, one in each, one at the end
    expected = model.predict(pairs, activation_fn=torch.nn.Identity(), show_progress_bar=False)
    np.testing.assert_allclose(OnnxPairScorer(graph, stored).scores(pairs), expected, atol=1e-4)


CONTENTS = ("descriptions", "contexts", "both")
CONFIG = BiEncoderConfig(
    n_tokens=16, n_rounds=2, n_steps=15, batch_size=8, n_negatives=3, k=10, learning_rate=3e-3, save_every=100
)


def recall(encoder, lang, n=40):
    """Of mentions in a language, the share whose entity comes first among the entities told in that language."""
    kb = entities(lang)
    asked = LinkedMentions.collect(kb, stories(n, lang, seed=1))
    vectors, rows = encoder.encode_entities(kb)
    queries = encoder.encode(encoder.texts.of_mentions(asked.mentions))
    return float((gold_ranks(VectorIndex.build([vectors], rows, len(kb)), queries, asked.gold, 1) == 1).mean())


@pytest.fixture(scope="module")
def trained(folder, tmp_path_factory):
    """An encoder that has learned to link in language a."""
    work = tmp_path_factory.mktemp("trained")
    return train_bi_encoder(entities("a"), stories(60, "a"), work, replace(CONFIG, encoder=str(folder)))


def test_what_is_learned_in_one_language_does_not_harm_the_other(encoder, trained):
    before, after = (
        {lang: recall(each, lang) for lang in "ab"} for each in (encoder, BiEncoder.open(trained.folder, 16))
    )
    assert after["a"] > before["a"] + 0.2
    assert after["b"] >= before["b"] - 0.05


def test_in_the_other_language_descriptions_contexts_or_both_are_asked(trained):
    kb, told, asked = entities("b"), stories(40, "b"), stories(30, "b", seed=1)
    generator = VectorSource.build(
        SourceInputs(kb, told), VectorConfig(encoder=EncoderConfig(name=str(trained.folder)))
    )
    mentions = [document.mentions_in_context()[0] for document in asked]
    by_contents = {each: generator.with_contents(each).search(mentions, 40) for each in CONTENTS}
    best = {each: ranked.toarray().max(axis=1) for each, ranked in by_contents.items()}
    np.testing.assert_allclose(best["both"], np.maximum(best["descriptions"], best["contexts"]), atol=1e-6)
    mentioned = {kb.row_of(document.mentions[0].entity) for document in told}
    assert set(by_contents["contexts"].indices) <= mentioned < set(by_contents["descriptions"].indices)


def test_descriptions_in_two_languages_are_two_vectors_and_one_language_can_be_chosen(trained, tmp_path):
    records = [
        {"id": entity.id, "title": entity.title, "descriptions": {"a": text, "b": said(text, "b")}}
        for entity in map(entities("a").entity, range(40))
        for text in entity.descriptions.values()
    ]
    path = tmp_path / "kb.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    settings = VectorConfig(encoder=EncoderConfig(name=str(trained.folder)))
    both = VectorSource.build(SourceInputs(KnowledgeBase.read(path)), settings)
    assert both.descriptions.groups.tolist() == [row for row in range(40) for _ in range(2)]
    one = VectorSource.build(SourceInputs(KnowledgeBase.read(path, description_language="b")), settings)
    assert one.descriptions.groups.tolist() == list(range(40))
    assert one.kb.entity(0).descriptions == {"b": said("the house is red", "b")}


@pytest.fixture(scope="module")
def aligned(folder, tmp_path_factory):
    """The same encoder, in which a word of one language has the vector of its translation."""
    model = SentenceTransformer(str(folder), device="cpu")
    pieces, weights = model.tokenizer.get_vocab(), model.transformers_model.get_input_embeddings().weight
    with torch.no_grad():
        for word in (*COLOURS, *THINGS):
            weights[pieces[f"▁{said(word, 'b')}"]] = weights[pieces[f"▁{word}"]]
    target = tmp_path_factory.mktemp("aligned") / "encoder"
    model.save(str(target), create_model_card=False)
    return target


def test_names_are_found_in_another_language_by_an_encoder_that_knows_both(aligned, folder, tmp_path):
    names = [f"{colour} {thing}" for colour in COLOURS for thing in THINGS]
    kb = KnowledgeBase.from_records([{"id": name, "title": name} for name in names])
    mentions = [MentionInContext(said(name, "b"), said(name, "b"), 0, len(name), lang="b") for name in names]
    recalls = {}
    for label, each in (("aligned", aligned), ("random", folder)):
        candidates = SourcesConfig().with_source(
            "name_vectors", NameVectorConfig(encoder=EncoderConfig(name=str(each)))
        )
        Linker.build(kb, config=LinkerConfig(candidates=candidates), n_threads=1).save(tmp_path / label)
        ranked = candidate_lists(kb, rank_mentions(Linker.load(tmp_path / label).model, mentions, 1))
        recalls[label] = np.mean([bool(own) and own[0].id == name for own, name in zip(ranked, names, strict=True)])
    assert recalls["aligned"] > 0.9
    assert recalls["random"] < 0.3

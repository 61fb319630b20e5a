"""The choice of descriptions on columns is the paper's rule, entity by entity."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.kb.knowledge_base import KnowledgeBase
from deixis.types import Document, Mention

LANGS = ["de", "en", "ja", "tr"]
COUNTS = st.dictionaries(st.sampled_from(LANGS), st.integers(0, 4), max_size=4)
ENTITIES = st.lists(st.tuples(st.lists(st.sampled_from(LANGS), unique=True), COUNTS, COUNTS), min_size=1, max_size=8)


def record(number, described, alias_counts):
    aliases = [{"text": f"{number}{lang}", "lang": lang, "count": n} for lang, n in alias_counts.items()]
    descriptions = {lang: f"{number} {lang}" for lang in described}
    return {"id": str(number), "title": "x", "aliases": aliases, "descriptions": descriptions}


def documents(number, mention_counts):
    mention = Mention(0, 1, "x", entity=str(number))
    return [Document("d", "x", lang, (mention,) * n) for lang, n in mention_counts.items()]


@given(ENTITIES)
@settings(max_examples=60, deadline=None)
def test_each_entity_keeps_the_first_by_its_own_mentions_then_by_all(entities):
    kb = KnowledgeBase.from_records(
        record(number, langs, aliases) for number, (langs, aliases, _) in enumerate(entities)
    )
    annotated = [one for number, (_, _, seen) in enumerate(entities) for one in documents(number, seen)]
    chosen = kb.with_description_language("mentions", annotated)
    described = {lang for langs, aliases, _ in entities for lang in (*langs, *aliases)}  # the base's own languages
    total = Counter()
    for _, aliases, seen in entities:
        total += Counter(aliases) + Counter(seen)
    for number, (langs, aliases, seen) in enumerate(entities):
        own = Counter(aliases) + Counter({lang: n for lang, n in seen.items() if lang in described})
        best = max(langs, key=lambda lang: (own[lang], total[lang], -langs.index(lang)), default=None)  # noqa: B023
        assert list(chosen.entity(number).descriptions) == ([] if best is None else [best])


@given(ENTITIES, st.sampled_from(LANGS))
@settings(max_examples=40, deadline=None)
def test_whoever_has_the_language_asked_for_keeps_it(entities, asked):
    entities = [*entities, ([asked], {}, {})]
    kb = KnowledgeBase.from_records(
        record(number, langs, aliases) for number, (langs, aliases, _) in enumerate(entities)
    )
    chosen = kb.with_description_language(asked)
    for number, (langs, _, _) in enumerate(entities):
        kept = list(chosen.entity(number).descriptions)
        assert len(kept) == min(1, len(langs))
        assert set(kept) <= ({asked} if asked in langs else set(langs))

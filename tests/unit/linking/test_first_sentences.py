"""What a new user tries first: short lists of a few kinds, and ordinary sentences with their names."""

from functools import cache

import pytest

from deixis.detection.config import FindingConfig
from deixis.errors import ConfigError
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.linker import Linker
from deixis.linking.config import LinkerConfig
from deixis.linking.options import LinkOptions
from deixis.types import Document, Mention

JAGUARS = [
    {"id": "cat", "title": "Jaguar", "aliases": ["Panthera onca"], "description": "big spotted cat of the rainforest"},
    {"id": "car", "title": "Jaguar", "aliases": ["Jaguar Cars", "Jag"], "description": "British maker of luxury cars"},
]
DISEASES = {
    "Asthma": "a disease of the airways",
    "Lung Cancer": "a malignant tumour of the lung",
    "Breast Cancer": "a malignant tumour of the breast",
    "Pneumonia": "an inflammation of the lung",
    "Anemia": "a lack of red blood cells",
    "Epilepsy": "a disease with seizures",
    "Parkinson Disease": "a disease with tremor",
}
ACRONYMS = [
    {"id": "leukemia", "title": "Acute lymphoblastic leukemia", "aliases": ["ALL"], "description": "a blood cancer"},
    {"id": "network", "title": "Controller Area Network", "aliases": ["CAN"], "description": "a bus of vehicles"},
    {"id": "syndrome", "title": "Wiskott-Aldrich syndrome", "aliases": ["WAS"], "description": "an immune disease"},
]
HOSPITALS = [
    {"id": "mary", "title": "Saint Mary Hospital", "description": "a hospital by the river"},
    {"id": "who", "title": "World Health Organization", "description": "an agency of the United Nations"},
]
LISTS = {
    "jaguars": JAGUARS,
    "diseases": [{"id": title, "title": title, "description": text} for title, text in DISEASES.items()],
    "acronyms": ACRONYMS,
    "hospitals": HOSPITALS,
}


@cache
def linker(name: str) -> Linker:
    return Linker.build(KnowledgeBase.from_records(LISTS[name]), n_threads=1)


def links(name: str, text: str | Document, **options: object) -> list[tuple[str, str]]:
    return [(m.text, m.entity) for m in linker(name).link(text, **options).mentions if m.entity is not None]


def test_a_common_noun_of_a_short_list_is_found_in_lower_case():
    assert links("jaguars", "I saw a jaguar in the rainforest.") == [("jaguar", "cat")]
    assert links("jaguars", "The new Jaguar is the last luxury car.") == [("Jaguar", "car")]


def test_what_is_not_on_the_list_is_not_linked():
    for text in ("university of Oslo", "The university of Oslo is old.", "Zorblatt met the Xyzzyx Corporation."):
        assert links("jaguars", text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My mother has asthma. Her sister died of lung cancer.", ["Asthma", "Lung Cancer"]),
        ("The child was admitted with pneumonia, anemia and epilepsy.", ["Pneumonia", "Anemia", "Epilepsy"]),
        ("He had lung cancer; breast cancer too.", ["Lung Cancer", "Breast Cancer"]),
        ("Patients with Parkinson's disease have a tremor.", ["Parkinson Disease"]),
        ("ASTHMA IS NOT LUNG CANCER", ["Asthma", "Lung Cancer"]),
    ],
)
def test_diseases_in_title_case_are_found_as_people_write_them(text, expected):
    assert [entity for _, entity in links("diseases", text)] == expected


@pytest.mark.parametrize("names", ["every", "likely", "sure"])
def test_aliases_in_capitals_are_not_found_in_ordinary_words(names):
    assert links("acronyms", "We all can see what was there.", names=names) == []


def test_aliases_in_capitals_are_found_in_capitals():
    assert links("acronyms", "Children with ALL or WAS are treated.") == [("ALL", "leukemia"), ("WAS", "syndrome")]


@pytest.mark.parametrize(
    ("text", "short", "entity"),
    [
        ("He was at Saint Mary Hospital (SMH). Now the SMH is closed.", "SMH", "mary"),
        ("The WHO (World Health Organization) met. Later the WHO left.", "WHO", "who"),
    ],
)
def test_a_short_form_that_the_text_defines_is_linked_as_its_long_form(text, short, entity):
    detected = links("hospitals", text)
    assert [pair for pair in detected if pair[0] == short] == [(short, entity)] * 2
    at = text.rindex(short)
    given = Document("d", text, mentions=(Mention(at, at + len(short), short),))
    assert links("hospitals", given) == [(short, entity)]


def test_without_its_definition_a_short_form_is_nothing():
    assert links("hospitals", "Now the SMH is closed (n = 12).") == []


@pytest.mark.parametrize("make", [lambda names: FindingConfig(names=names), lambda names: LinkOptions(names=names)])
def test_another_value_of_the_switch_is_an_error_that_names_the_three(make):
    with pytest.raises(ConfigError, match=r"names.*every.*likely.*sure"):
        make("some")


def test_a_model_may_be_built_with_another_default_and_options_overrule_it():
    kb = KnowledgeBase.from_records(LISTS["jaguars"])
    sure = Linker.build(kb, config=LinkerConfig(finding=FindingConfig(names="sure")), n_threads=1)
    text = "I saw a jaguar in the rainforest."
    assert sure.link(text) == linker("jaguars").link(text, names="sure")
    assert sure.link(text, names="every") == linker("jaguars").link(text, names="every")


def test_a_name_without_its_accents_is_ranked_as_the_name():
    linker = Linker.build(
        KnowledgeBase.from_records(
            {"id": name, "title": name}
            for name in ("Café Crème", "Cremeschnitte", "Sjogren's Syndrome", "Sjögren-Larsson")
        ),
        n_threads=1,
    )
    linked = linker.link("A cafe creme for patients with Sjögren's syndrome.")
    assert [(mention.text, mention.entity) for mention in linked.mentions] == [
        ("cafe creme", "Café Crème"),
        ("Sjögren's syndrome", "Sjogren's Syndrome"),
    ]
    assert all(mention.score > 0.5 for mention in linked.mentions)

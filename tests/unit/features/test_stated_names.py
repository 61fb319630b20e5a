"""What the opening of a description states of its entity."""

import pytest

from deixis.features.stated_names import StatedNames, is_name_page, names_in
from deixis.store.strings import StringTable


@pytest.mark.parametrize(
    ("title", "opening", "names"),
    [
        (
            "Food and Drug Administration",
            "The Food and Drug Administration (FDA or USFDA) is an agency.",
            {"FDA", "USFDA"},
        ),
        ("United States", "It is commonly called the United States (U.S. or US) or America.", {"U.S.", "US"}),
        ("Britain", "Britain, also known as Albion, is an island.", {"Albion"}),
        ("David Bowie", "David Bowie (born David Robert Jones, 8 January 1947) was a singer.", {"David Robert Jones"}),
        ("Marie Curie", "Marie Curie, née Maria Sklodowska, was a physicist.", {"Maria Sklodowska"}),
        ("Myanmar", "Myanmar, formerly Burma, is a country.", {"Burma"}),
        ("Norway", "Norway, officially the Kingdom of Norway, is a country.", {"Kingdom of Norway"}),
        ("Clapton", 'Clapton is a player, nicknamed "Slowhand" by fans.', {"Slowhand"}),
    ],
)
def test_names_that_a_description_states_are_read(title, opening, names):
    assert names <= set(names_in(title, opening))


@pytest.mark.parametrize(
    ("title", "opening"),
    [
        ("Chicago White Sox", "The White Sox compete in Major League Baseball (MLB)."),
        ("Steffi Graf", "Steffi Graf (born 14 June 1969) is a player."),
        ("Bill Clinton", "Bill Clinton (born August 19, 1946) is a politician."),
        ("stomach cancer", "Stomach cancer is a disease."),
        ("Nobody", ""),
    ],
)
def test_other_names_dates_and_words_are_none_of_its_names(title, opening):
    assert not set(names_in(title, opening)) & {"MLB", "14 June", "August 19", "Stomach", "August"}


@pytest.mark.parametrize(
    ("title", "opening"),
    [
        ("Bonds", "Bonds may refer to:"),
        ("Thai", "Thai might mean:"),
        ("Baker", "Baker is an English surname."),
        ("Clinton", "Clinton is an Irish and English family name, indicating a place."),
        ("List of rivers", "Rivers of the world by length."),
        ("Merkur", "Merkur steht für: einen Planeten"),
    ],
)
def test_entries_that_list_namesakes_or_members_are_name_pages(title, opening):
    assert is_name_page(title, opening)


def test_a_thing_is_no_name_page():
    assert not is_name_page("Zenith", "Zenith refers to a point above a place.")
    assert not is_name_page("Graf", "A graf was a nobleman; the name of the rank means count.")
    assert not is_name_page("Paris", "")


def test_names_stand_beside_the_rows_of_their_entities():
    titles = StringTable.from_strings(["Bonds", "World Health Organization"])
    stated = StatedNames.read(
        titles,
        StringTable.from_strings(["Bonds (BND) may refer to:", "The World Health Organization (WHO) is an agency."]),
    )
    assert list(stated.names) == ["WHO"] and stated.rows.tolist() == [1]
    assert stated.is_name_page.tolist() == [True, False]

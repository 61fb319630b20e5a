from benchmarks.speed.wordnet import Query, find_lemma, is_dev, make_queries, parse_synset

LINE = (
    "00006885 00 s 03 assimilating 0 assimilative(p) 0 take_in 0 003 & 00006336 a 0000 + 01540060 v 0301 "
    '| capable of taking (gas, light) into a solution; "an assimilative substance"; "roots taking in water"  \n'
)


def test_a_synset_is_an_entity_with_title_aliases_and_gloss():
    record = parse_synset("a", LINE).record()
    assert record["id"] == "a00006885"
    assert record["title"] == "assimilating"
    assert record["aliases"] == ["assimilative", "take in"]
    assert record["description"].endswith('"roots taking in water"')


def test_usage_examples_are_cut_out_of_the_definition():
    synset = parse_synset("a", LINE)
    assert synset.definition == "capable of taking (gas, light) into a solution"
    assert synset.examples == ("an assimilative substance", "roots taking in water")


def test_an_example_whose_closing_quote_is_missing_is_still_cut_out():
    synset = parse_synset("a", LINE[: LINE.index('"; "roots')] + "\n")
    assert synset.examples == ("an assimilative substance",)
    assert "substance" not in synset.definition


def test_a_lemma_is_found_inflected_and_as_it_stands():
    assert find_lemma("take in", "roots Taking in water") == "Taking in"
    assert find_lemma("dock", "dock the ships") == "dock"
    assert find_lemma("run", "the runner") == "runner"
    assert find_lemma("dock", "haddock for lunch") is None


def test_each_example_makes_at_most_one_query():
    synset = parse_synset("a", LINE)
    assert list(make_queries([synset])) == [
        Query("assimilative", "an assimilative substance", "a00006885"),
        Query("taking in", "roots taking in water", "a00006885"),
    ]


def test_all_queries_of_a_synset_fall_on_one_side_and_the_sides_are_even():
    sides = [is_dev(f"n{number:08d}") for number in range(2000)]
    assert 900 < sum(sides) < 1100
    assert is_dev("n00001740") == is_dev("n00001740")

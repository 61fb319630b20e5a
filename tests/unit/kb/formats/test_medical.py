"""MeSH's XML and UMLS's tables, and GeoNames' table: what the real files hold beyond names."""

import gzip

import pytest

from deixis.errors import DataError
from deixis.kb.formats import open_records
from deixis.kb.knowledge_base import KnowledgeBase
from tests.list_files import LISTS, THINGS

DOCTYPE = (
    '<!DOCTYPE DescriptorRecordSet SYSTEM "https://www.nlm.nih.gov/databases/dtd/nlmdescriptorrecordset_20260101.dtd">'
)
SUPPLEMENTAL = """<?xml version="1.0"?>
<!DOCTYPE SupplementalRecordSet SYSTEM "https://www.nlm.nih.gov/databases/dtd/nlmsupplementalrecordset_20260101.dtd">
<SupplementalRecordSet LanguageCode = "eng">
<SupplementalRecord SCRClass = "1">
  <SupplementalRecordUI>C000002</SupplementalRecordUI>
  <SupplementalRecordName><String>bevonium</String></SupplementalRecordName>
  <Note>structure given in first source</Note>
  <HeadingMappedToList><HeadingMappedTo><DescriptorReferredTo><DescriptorUI>*D001561</DescriptorUI>
   <DescriptorName><String>Benzilates</String></DescriptorName></DescriptorReferredTo></HeadingMappedTo></HeadingMappedToList>
  <ConceptList><Concept PreferredConceptYN="Y"><ConceptUI>M0030381</ConceptUI><ConceptName><String>bevonium</String>
   </ConceptName><TermList><Term><String>bevonium</String></Term><Term><String>bevonium sulfate (2:1)</String></Term>
   </TermList></Concept></ConceptList>
</SupplementalRecord></SupplementalRecordSet>
"""


def mesh_file(folder, change=lambda text: text):
    path = LISTS["mesh"].file(THINGS, folder)
    path.write_text(change(path.read_text("utf-8")), encoding="utf-8")
    return path


def test_supplementary_records_are_read_like_descriptors(tmp_path):
    (tmp_path / "supp.xml").write_text(SUPPLEMENTAL, encoding="utf-8")
    entity = KnowledgeBase.read(tmp_path / "supp.xml").entity("C000002")
    assert entity.title == "bevonium" and [alias.text for alias in entity.aliases] == ["bevonium sulfate (2:1)"]
    assert entity.descriptions == {"": "structure given in first source"}


def test_the_scope_note_of_the_preferred_concept_wins(tmp_path):
    other = '<Concept PreferredConceptYN="N"><ScopeNote>narrower</ScopeNote></Concept>'
    path = mesh_file(tmp_path, lambda text: text.replace("<ConceptList>", f"<ConceptList>{other}", 1))
    assert KnowledgeBase.read(path).entity(0).gloss == "capital of France"


def test_a_doctype_that_only_names_a_dtd_is_left_out_and_one_that_declares_is_refused(tmp_path):
    assert len(KnowledgeBase.read(mesh_file(tmp_path))) == 3
    for declared in (
        DOCTYPE[:-1] + ' [<!ENTITY x "y">]>',
        DOCTYPE[:-1] + " [\n<!ENTITY % x SYSTEM 'file:///etc/passwd'>]>",
    ):
        with pytest.raises(DataError, match=r"list\.xml, line [23]: the DOCTYPE has declarations of its own"):
            KnowledgeBase.read(mesh_file(tmp_path, lambda text, new=declared: text.replace(DOCTYPE, new)))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("</DescriptorName>", "</DescriptorNam>", r"line 8: not XML: mismatched tag \(column \d+\)"),
        ("<DescriptorUI>D2<", "<DescriptorUI><", r"line \d+: 'id' is empty"),
        ("<DescriptorUI>D2</DescriptorUI>", "", r"line \d+: no 'id'"),
        ("Paris</String>", "&nbsp;</String>", "line 7: not XML: undefined entity"),
        ("</DescriptorRecordSet>", "", r"line \d+: not XML: no element found"),
    ],
)
def test_what_is_not_mesh_is_refused_with_its_line(tmp_path, old, new, said):
    with pytest.raises(DataError, match=said):
        KnowledgeBase.read(mesh_file(tmp_path, lambda text: text.replace(old, new)))


def test_other_xml_is_not_mesh(tmp_path):
    (tmp_path / "a.xml").write_text("<a><DescriptorRecord/></a>", encoding="utf-8")
    with pytest.raises(DataError, match="not MeSH: the outermost element is 'a'"):
        KnowledgeBase.read(tmp_path / "a.xml", format="mesh")


def umls_folder(folder, **lines):
    path = LISTS["umls"].file(THINGS, folder)
    for name, text in lines.items():
        with (path / f"{name}.RRF").open("a", encoding="utf-8") as stream:
            stream.write(text)
    return path


SPANISH = "C0000004|SPA|P|L1|PF|S1|Y|A1||M1|D1|MSHSPA|MH|D1|Troya|3|N||\n"
SYNONYM = "C0000004|ENG|S|L1|PF|S1|Y|A1||M1|D1|MSH|ET|D1|Ilium|0|N||\n"
PREFERRED = "C0000004|ENG|P|L1|PF|S1|Y|A1||M1|D1|MSH|MH|D1|Troy|0|N||\n"


def test_the_title_of_a_concept_is_its_preferred_name_in_english(tmp_path):
    entity = KnowledgeBase.read(umls_folder(tmp_path, MRCONSO=SPANISH + SYNONYM + PREFERRED)).entity("C0000004")
    assert entity.title == "Troy"
    assert {(alias.text, alias.lang) for alias in entity.aliases} == {("Troya", "es"), ("Ilium", "en"), ("Troy", "en")}


def test_the_file_of_names_alone_is_enough_and_any_may_be_compressed(tmp_path):
    folder = umls_folder(tmp_path)
    whole = KnowledgeBase.read(folder / "MRCONSO.RRF")
    assert whole.types(0) == ("city",) and list(whole.ids) == list(KnowledgeBase.read(folder).ids)
    for name in ("MRCONSO.RRF", "MRDEF.RRF"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
        (folder / name).unlink()
    (folder / "MRSTY.RRF").unlink()
    kb = KnowledgeBase.read(folder)
    assert kb.types(0) == () and kb.entity(0).gloss == "capital of France"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ({"MRCONSO": PREFERRED.replace("C0000004", "C0000001")}, r"MRCONSO\.RRF, line \d+: .* C0000001 comes after"),
        ({"MRDEF": "C0000002|A1|AT1\n"}, r"MRDEF\.RRF, line 3: 2 columns where MRDEF\.RRF has 8"),
        ({"MRCONSO": "C0000004|ENG|\n"}, r"MRCONSO\.RRF, line \d+: 2 columns where MRCONSO\.RRF has 18"),
    ],
)  # fmt: skip
def test_a_damaged_table_of_umls_is_an_error_that_names_file_and_line(tmp_path, lines, said):
    with pytest.raises(DataError, match=said):
        KnowledgeBase.read(umls_folder(tmp_path, **lines))


PLACE = (
    "2988507\tParis\tParis\tBaariis,Lutece,Paryż,\t48.85341\t2.3488\tP\tPPLC\tFR\t\t11\t75\t751\t75056\t2138551\t\t42\t"
    "Europe/Paris\t2024-04-10\n"
)


def test_a_row_of_geonames_keeps_names_feature_country_and_population(tmp_path):
    (tmp_path / "FR.txt").write_text(PLACE, encoding="utf-8")
    paris = KnowledgeBase.read(tmp_path / "FR.txt").entity("2988507")
    assert paris.types == ("P.PPLC", "FR") and paris.count == 2138551
    assert [alias.text for alias in paris.aliases] == ["Baariis", "Lutece", "Paryż"]
    assert paris.url == "https://www.geonames.org/2988507"


def test_a_row_with_another_number_of_columns_is_a_bad_line(tmp_path):
    (tmp_path / "FR.txt").write_text(PLACE + "7\tTroy\n" + "8" + PLACE, encoding="utf-8")
    with pytest.raises(DataError, match="line 2: 2 columns where GeoNames' table has 19"):
        KnowledgeBase.read(tmp_path / "FR.txt")
    assert len(KnowledgeBase.read(tmp_path / "FR.txt", skip_bad=True)) == 2


def test_a_table_with_as_many_columns_and_a_header_is_no_table_of_geonames(tmp_path):
    header = "\t".join(["id", "title", *(f"c{n}" for n in range(17))])
    (tmp_path / "kb.tsv").write_text(header + "\n" + PLACE, encoding="utf-8")
    assert open_records(tmp_path / "kb.tsv").format == "tsv"


def skipped(path):
    kb, report = KnowledgeBase.read_with_report(path, skip_bad=True)
    return list(kb.ids), [(each.line, each.reason) for each in report.skipped]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<String>Paris</String>\n  </DescriptorName>", "<String>Paris</Strin\n  </DescriptorName>", "not XML"),
        ("<DescriptorUI>D1</DescriptorUI>", "<DescriptorUI>D1 & more</DescriptorUI>", "not XML"),
        ("<DescriptorUI>D1</DescriptorUI>", "<a>" * 200, "not MeSH: elements within elements, more than 100 deep"),
    ],
)
def test_a_damaged_descriptor_can_be_left_out(tmp_path, old, new, said):
    path = mesh_file(tmp_path, lambda text: text.replace(old, new, 1))
    with pytest.raises(DataError, match=rf"list\.xml, line \d+: {said}"):
        KnowledgeBase.read(path)
    ids, ((line, reason),) = skipped(path)
    assert ids == ["D2", "D3"] and said in reason and 4 < line < 10


def test_of_a_mesh_file_that_is_cut_the_whole_descriptors_are_read(tmp_path):
    path = mesh_file(tmp_path, lambda text: text[: text.index("<DescriptorUI>D3")])
    assert skipped(path)[0] == ["D1", "D2"]


def test_damaged_descriptors_on_one_line_are_left_out(tmp_path):
    path = mesh_file(tmp_path, lambda text: text.replace("\n", " ").replace("<String>Paris</String>", "<String>", 1))
    assert skipped(path)[0] == ["D2", "D3"]


def test_a_damaged_row_of_umls_can_be_left_out_and_its_file_is_named(tmp_path):
    folder = umls_folder(tmp_path, MRCONSO="C0000004|ENG|\n" + PREFERRED, MRDEF="C0000004|A1|AT1\n")
    kb, report = KnowledgeBase.read_with_report(folder, skip_bad=True)
    assert list(kb.ids) == [f"C000000{number}" for number in (1, 2, 3, 4)] and kb.entity("C0000004").title == "Troy"
    assert sorted(str(each.path) for each in report.skipped) == [str(folder / "MRCONSO.RRF"), str(folder / "MRDEF.RRF")]


def test_one_concept_of_umls_out_of_order_takes_no_definition_from_the_others(tmp_path):
    folder = umls_folder(tmp_path)
    rows = (folder / "MRCONSO.RRF").read_text("utf-8").splitlines(keepends=True)
    far = PREFERRED.replace("C0000004", "C9000000")
    (folder / "MRCONSO.RRF").write_text(rows[0] + far + "".join(rows[4:]), encoding="utf-8")
    kb, report = KnowledgeBase.read_with_report(folder, skip_bad=True)
    assert list(kb.ids) == ["C0000001", "C0000002", "C0000003"] and kb.entity(1).gloss.startswith("a <city>")
    assert [each.reason.partition(";")[0] for each in report.skipped] == ["the concept C9000000 comes before C0000002"]

"""What may be asked for at once holds for the dialects too."""

from deixis.service.config import Limits, ServiceConfig
from tests.unit.service.conftest import TEXT, served
from tests.unit.service.dialects.test_nif_annotator import DOCUMENT, GERBIL, PHRASE


def test_more_given_mentions_than_allowed_are_refused(folder, tmp_path):
    second = PHRASE.replace("14", "8").replace("19", "12").replace("Paris", "Troy")
    with served(ServiceConfig(folder, Limits(max_mentions=1))) as client:
        for spans, phrases, status in (([[14, 5]], PHRASE, 200), ([[14, 5], [8, 4]], PHRASE + second, 422)):
            given = client.post("/rel", json={"text": TEXT, "spans": spans})
            turtle = client.post("/nif", content=(DOCUMENT + phrases).encode(), headers=GERBIL)
            assert (given.status_code, turtle.status_code) == (status, status)
        assert "--set max_mentions" in given.text and "--set max_mentions" in turtle.text

"""Annif's dialect, by its OpenAPI file and by its own client."""

import pytest
from annif_client import AnnifClient

from tests.unit.service.dialects.conftest import PREFIX

TEXT = "the telescope and the comet"


@pytest.fixture
def client(serve, labeller_folder):
    return serve(labeller_folder)


@pytest.fixture
def annif(labeller_address):
    return AnnifClient(f"{labeller_address}/v1/")


def test_a_suggestion_has_a_uri_a_label_and_a_score(client):
    results = client.post("/v1/projects/labeller/suggest", data={"text": TEXT, "limit": "2"}).json()["results"]
    assert [each["label"] for each in results][0] == "Stars" and len(results) == 2
    assert results[0]["uri"] == "urn:deixis:entity:s3" and results[0]["notation"] is None
    assert 1 >= results[0]["score"] > results[1]["score"] >= 0


def test_a_project_has_what_annif_requires(client):
    (project,) = client.get("/v1/projects").json()["projects"]
    assert {"project_id", "name", "language", "backend"} <= set(project)
    assert project["backend"] == {"backend_id": "tree"} and project["vocab"]["size"] == 5
    assert client.get("/v1/projects/labeller").json() == project


def test_limit_and_threshold_hold(client):
    def n_results(**fields):
        return len(client.post("/v1/projects/labeller/suggest", data={"text": TEXT, **fields}).json()["results"])

    assert n_results(limit="0") == 0 and n_results(limit="1") == 1
    assert n_results() > n_results(threshold="0.9") > 0


@pytest.mark.parametrize("fields", [{}, {"text": TEXT, "limit": "-1"}, {"text": TEXT, "limit": "1.5"},
                                    {"text": TEXT, "threshold": "2"}, {"text": TEXT, "limit": "x"}])  # fmt: skip
def test_what_does_not_fit_is_refused(client, fields):
    assert client.post("/v1/projects/labeller/suggest", data=fields).status_code == 422


def test_a_linker_has_no_projects(serve):
    assert serve().get("/v1/projects").status_code == 404


def test_annif_client_gets_suggestions_one_by_one_and_in_batches(annif):
    assert annif.api_info["version"] and [each["project_id"] for each in annif.projects] == ["labeller"]
    assert annif.get_project("labeller")["is_trained"] is True
    results = annif.suggest("labeller", TEXT, limit=1, threshold=0.01)
    assert [(each["uri"], each["label"]) for each in results] == [(f"{PREFIX}s3", "Stars")]
    documents = [{"text": TEXT, "document_id": "a"}, {"text": "qqqq"}]
    batch = annif.suggest_batch("labeller", documents, limit=1)
    assert [each["document_id"] for each in batch] == ["a", None]
    assert batch[0]["results"] == results and batch[1]["results"] == []


def test_annif_client_is_told_of_a_project_that_is_not_there(annif):
    for ask in (annif.get_project, lambda name: annif.suggest(name, TEXT),
                lambda name: annif.suggest_batch(name, [{"text": TEXT}])):  # fmt: skip
        with pytest.raises(ValueError, match="no project 'yso-en'; the only one is 'labeller'"):
            ask("yso-en")

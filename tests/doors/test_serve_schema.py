"""The service against its own OpenAPI file: what schemathesis makes of it is answered as the file says."""

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from starlette.testclient import TestClient

from deixis.service.app import create_app
from deixis.service.config import Access, Limits, ServiceConfig
from deixis.service.state import ServiceState

TOKEN = "a-token-for-the-file"
N_EXAMPLES = 40
MAX_URL = 60_000  # the client sends none that is longer


@pytest.fixture
def client(own_model):
    access = Access(token=TOKEN)
    config = ServiceConfig(own_model, Limits(), access)
    with TestClient(create_app(ServiceState(config)), base_url="http://localhost") as client:
        yield client


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=lambda mode: mode.value)
def test_requests_made_from_the_openapi_file_never_fail_for_the_services_fault(client, mode):
    schema = schemathesis.openapi.from_dict(client.app.openapi())
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 10
    strategies = [operation.as_strategy(generation_mode=mode) for operation in operations]
    statuses = set()

    @settings(max_examples=N_EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=st.one_of(strategies))
    def ask(case):
        sent = requests.Request(**case.as_transport_kwargs("http://localhost")).prepare()
        if len(sent.url) > MAX_URL:
            return
        headers = {"authorization": f"Bearer {TOKEN}", "content-type": sent.headers.get("Content-Type", "")}
        answer = client.request(sent.method, sent.url, content=sent.body or b"", headers=headers)
        assert answer.status_code < 500, answer.text
        statuses.add(answer.status_code)

    ask()
    assert 200 in statuses if mode == GenerationMode.POSITIVE else statuses & {404, 405, 422}

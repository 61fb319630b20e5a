"""What users may import from the root, and what an import costs them."""

import subprocess
import sys

import pytest

import deixis
from tests.architecture.packages import hidden_but_for

PUBLIC_NAMES = [
    "Candidate",
    "Correction",
    "Document",
    "Entity",
    "KnowledgeBase",
    "Labeller",
    "LabellerConfig",
    "LinkOptions",
    "Linker",
    "LinkerConfig",
    "Mention",
    "TextLabeller",
    "ToolkitError",
    "__version__",
    "evaluate",
    "read_documents",
    "write_documents",
]


def python(code: str, *flags: str) -> str:
    done = subprocess.run([sys.executable, *flags, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_public_names_are_these():
    assert sorted(deixis.__all__) == PUBLIC_NAMES


@pytest.mark.parametrize("name", PUBLIC_NAMES)
def test_every_public_name_can_be_imported_and_has_a_docstring(name):
    value = getattr(deixis, name)
    assert isinstance(value, str) or value.__doc__
    assert name in dir(deixis)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'Linkre'"):
        _ = deixis.Linkre


def heavy() -> set[str]:
    """What nobody should wait for who does not use it; some environments import a little as they start."""
    at_start = set(python("import sys; print(*sys.modules)").split())
    return ({"numpy", "scipy", "rich"} | hidden_but_for()) - at_start


def test_importing_the_package_imports_nothing_heavy():
    imported = set(python("import sys, deixis; print(*sys.modules)").split())
    assert imported & (heavy() | {"click"}) == set()


def test_help_needs_neither_numpy_nor_rich():
    code = "import sys; from deixis.cli.main import main; main(['--help']); print(*sys.modules)"
    imported = set(python(code).splitlines()[-1].split())
    assert imported & heavy() == set()


def test_help_takes_half_a_second_of_processor_time_at_most():
    """Processor time of the command, the best of a few, because other work may run beside the tests."""
    code = "import atexit, time; atexit.register(lambda: print(time.process_time())); "
    code += "from deixis.cli.main import main; main(['--help'])"
    assert min(float(python(code).splitlines()[-1]) for _ in range(3)) < 0.5


def test_the_version_is_that_of_the_installed_package():
    from importlib.metadata import version

    assert deixis.__version__ == version("deixis")

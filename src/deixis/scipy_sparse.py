"""SciPy's sparse matrices, imported when one is first made: a line of text is linked without them.

Modules that linking imports have `from deixis.scipy_sparse import sparse` in place of `from scipy import sparse`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any


class _Sparse:
    """Stands for the module `scipy.sparse`."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the module has
        return getattr(importlib.import_module("scipy.sparse"), name)


__all__ = ["sparse"]

if TYPE_CHECKING:
    from scipy import sparse
else:
    sparse = _Sparse()

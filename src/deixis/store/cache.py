"""Arrays that are dear to make and always the same, kept for the next time in the user's cache folder.

Each entry is a model folder: checksums, no pickle, written whole or not at all.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deixis.errors import StoreError
from deixis.store.model_folder import open_model, save_model

logger = logging.getLogger(__name__)

CACHE = "DEIXIS_CACHE"  # the variable that names another folder; set to nothing, nothing is kept
Arrays = dict[str, NDArray[Any]]


def cached_arrays(name: str, made_of: Iterable[str], make: Callable[[], Arrays]) -> Arrays:
    """What `make` gives, or gave before of the same: `made_of` has everything that the arrays depend on.

    What is damaged is made again; where nothing can be written, nothing is kept. Neither is an error.
    """
    folder = cache_folder()
    if folder is None:
        return make()
    digest = hashlib.sha256("\n".join(made_of).encode("utf-8", "surrogatepass")).hexdigest()
    target, kind = folder / f"{name}-{digest[:16]}", f"cached {name}"
    try:
        if target.exists():
            # Copied, since the folder may be emptied at any time.
            return {each: np.array(array) for each, array in open_model(target, kind, verify=True).arrays.items()}
    except (StoreError, OSError) as error:
        logger.info("What was kept in %s cannot be used, and is made again: %s", target, error)
    arrays = make()
    try:
        save_model(target, kind, {}, arrays)
    except (StoreError, OSError) as error:
        logger.info("Nothing is kept for the next time: %s", error)
    return arrays


def cache_folder() -> Path | None:
    """The folder that `DEIXIS_CACHE` names, or else `deixis` in the user's own cache.

    None if the variable is set to nothing, or the user has no home.
    """
    value = os.environ.get(CACHE)
    if value is not None:
        return Path(value) if value else None
    home = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(home):  # a relative one is to be ignored, by the standard
        return Path(home) / "deixis"
    try:
        return Path.home() / ".cache" / "deixis"
    except RuntimeError:
        return None

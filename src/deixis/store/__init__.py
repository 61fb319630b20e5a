"""Model store: one folder format (manifest, arrays, checksums), versions, string tables. Nothing is ever unpickled."""

from deixis.store.array_files import FileCheck
from deixis.store.model_folder import StoredModel, open_model, save_model, verify_model
from deixis.store.strings import StringTable

__all__ = ["FileCheck", "StoredModel", "StringTable", "open_model", "save_model", "verify_model"]

"""Writing that a power cut cannot leave half."""

import os

from deixis.store.durable import replace_durably


def test_a_file_is_on_the_disk_before_it_takes_the_place_of_another(tmp_path, monkeypatch):
    deeds, fsync, replace = [], os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda descriptor: (deeds.append("fsync"), fsync(descriptor)))
    monkeypatch.setattr(os, "replace", lambda *paths: (deeds.append("replace"), replace(*paths)))
    partial, path = tmp_path / "state.partial", tmp_path / "state"
    partial.write_text("new", encoding="utf-8")
    path.write_text("old", encoding="utf-8")
    replace_durably(partial, path)
    assert path.read_text(encoding="utf-8") == "new" and not partial.exists()
    assert deeds[:2] == ["fsync", "replace"]

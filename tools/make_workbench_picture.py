"""Draws workbench.png and workbench_tree.png in docs/how-to/figures: the demo's knowledge base, seen in Chromium.

`python tools/make_workbench_picture.py`; needs the extra `serve`, playwright and chromium (`make browser`).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

from deixis.kb.demo import read_demo
from deixis.linker import Linker

FIGURES = Path(__file__).parent.parent / "docs" / "how-to" / "figures"
PORT = 8797
TEXT = (
    "Paris awarded the golden apple to Aphrodite and carried Helen off to Troy. Mercury is the planet nearest to the "
    "sun; Phoenix lies in the desert of Arizona."
)


def main() -> int:
    """Serve, look, save."""
    with tempfile.TemporaryDirectory() as folder:
        Linker.build(read_demo()).save(Path(folder) / "model")
        command = [sys.executable, "-m", "deixis.cli", "serve", f"{folder}/model", "--port", str(PORT), "--quiet"]
        served = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            _wait()
            _draw()
        finally:
            served.terminate()
            served.wait()
    print("wrote workbench.png and workbench_tree.png")
    return 0


def _wait() -> None:
    for _ in range(200):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health", timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("the service did not start")


def _draw() -> None:
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 1000})
        page.goto(f"http://127.0.0.1:{PORT}/workbench/")
        page.fill("#input", TEXT)
        page.press("#input", "Control+Enter")
        page.click("#text .mention >> text=Paris")
        page.wait_for_selector("#why table")
        page.locator(".candidate .about", has_text="·").first.wait_for()
        FIGURES.mkdir(exist_ok=True)
        page.screenshot(path=str(FIGURES / "workbench.png"))
        page.set_viewport_size({"width": 1100, "height": 760})
        page.click("#tab-tree")
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(1000)  # until nothing moves
        page.screenshot(path=str(FIGURES / "workbench_tree.png"))
        browser.close()


if __name__ == "__main__":
    sys.exit(main())

"""A page is one file that asks for nothing, and tells the browser so."""

import base64
import hashlib
import re

from deixis.reports.markup import Html
from deixis.reports.shell import asset, html_page

FETCHES = re.compile(r"""(?:src|href|action|data|poster|srcset)\s*=|url\(|@import|fetch\(|XMLHttpRequest|https?:""")


def policy_of(page):
    return re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#x27;", "'")


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def test_nothing_in_the_frame_is_fetched_from_anywhere():
    assert not FETCHES.search(html_page("Title", "body"))


def test_the_policy_allows_the_styles_and_the_script_of_the_page_and_nothing_else():
    page = html_page("Title", Html("<svg><style>.a{fill:red}</style></svg>"))
    policy = policy_of(page)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for block in re.findall(r"<(?:style|script)>(.*?)</(?:style|script)>", page, re.DOTALL):
        assert hash_of(block) in policy
    assert len(re.findall("'sha256-", policy)) == 3


def test_style_and_script_end_where_they_should():
    assert "</" not in asset("page.css")
    assert "</" not in asset("page.js")
    assert "<!--" not in asset("page.js")


def test_the_title_is_escaped():
    assert "<title>a &lt;b&gt;</title>" in html_page("a <b>", "")


def test_the_policy_comes_before_anything_that_it_rules():
    page = html_page("Title", "body")
    assert page.index("Content-Security-Policy") < page.index("<style>") < page.index("<script>")

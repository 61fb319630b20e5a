"""Responses in DBpedia Spotlight's format (resources, candidates, a page with links), and which one is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from deixis.documents.json_lines import short_score
from deixis.documents.spans import Ruler
from deixis.kb.knowledge_base import KnowledgeBase
from deixis.service.dialects.pages import Page, link
from deixis.service.dialects.uris import uri_of
from deixis.types import Candidate, Mention


def resource(mention: Mention, kb: KnowledgeBase, ruler: Ruler, uri_prefix: str) -> dict[str, str]:
    """A link of `/rest/annotate`."""
    entity = kb.entity(mention.entity or "")
    return {
        "@URI": uri_of(kb, entity.id, uri_prefix),
        "@support": str(entity.count),
        "@types": ",".join(entity.types),
        "@surfaceForm": mention.text,
        "@offset": str(ruler.offset(mention.start)),
        "@similarityScore": str(short_score(mention.score or 0.0)),
        "@percentageOfSecondRank": _ratio_to_next(mention.candidates, 0),
    }


def surface_form(
    mention: Mention, candidates: Sequence[Candidate], kb: KnowledgeBase, ruler: Ruler, uri_prefix: str
) -> dict[str, object]:
    """A mention of `/rest/candidates` with its candidates; their three scores are the same number."""
    resources = []
    for rank, each in enumerate(candidates):
        entity = kb.entity(each.id)
        scores = dict.fromkeys(("@contextualScore", "@priorScore", "@finalScore"), str(short_score(each.score)))
        record = {
            "@label": entity.title,
            "@uri": uri_of(kb, entity.id, uri_prefix),
            "@percentageOfSecondRank": _ratio_to_next(candidates, rank),
            "@support": str(entity.count),
            "@types": ", ".join(entity.types),
        }
        resources.append(record | scores)
    return {"@name": mention.text, "@offset": str(ruler.offset(mention.start)), "resource": unwrapped(resources)}


def unwrapped(items: Sequence[Mapping[str, object]]) -> object:
    """A list of one item as that item: Spotlight converts its JSON from XML, which has no lists."""
    return items[0] if len(items) == 1 else list(items)


def annotated_page(text: str, mentions: Sequence[Mention], kb: KnowledgeBase, uri_prefix: str) -> Page:
    """The text with its mentions as links."""
    parts, end = [], 0
    for mention in mentions:
        uri = uri_of(kb, mention.entity or "", uri_prefix)
        parts += [escape(text[end : mention.start]), link(uri, mention.text)]
        end = mention.end
    parts.append(escape(text[end:]))
    return Page("Annotated by Deixis", "<div>" + "".join(parts).replace("\n", "<br>") + "</div>")


def _ratio_to_next(candidates: Sequence[Candidate], rank: int) -> str:
    """The next candidate's score divided by this one's."""
    after = candidates[rank + 1 : rank + 2]
    is_near = bool(after) and candidates[rank].score > 0
    return str(short_score(after[0].score / candidates[rank].score) if is_near else 0.0)


def preferred(accept: str, offered: Sequence[str]) -> str:
    """The offered media type that an Accept header prefers; the first one if it accepts none.

    Examples
    --------
    >>> preferred("text/html,application/xml;q=0.9,*/*;q=0.8", ("application/json", "text/html"))
    'text/html'
    >>> preferred("*/*", ("application/json", "text/html")), preferred("image/png", ("application/json", "text/html"))
    ('application/json', 'application/json')
    """
    liking = dict.fromkeys(offered, (0.0, 0))
    for part in accept.lower().split(",")[:50]:
        kind, *settings = (word.strip() for word in part.split(";"))
        quality = _quality(settings)
        for each in offered:
            exactness = 2 if kind == each else 1 if kind == each.partition("/")[0] + "/*" else 0
            if exactness or kind == "*/*":
                liking[each] = max(liking[each], (quality, exactness), key=lambda pair: (pair[1], pair[0]))
    return max(offered, key=lambda each: liking[each])


def _quality(settings: Sequence[str]) -> float:
    for setting in settings:
        name, _, value = setting.partition("=")
        if name.strip() == "q":
            try:
                return min(1.0, max(0.0, float(value)))
            except ValueError:
                return 0.0
    return 1.0

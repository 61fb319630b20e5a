"""Writes src/deixis/native/unicode_tables.inc from the Unicode data of the Python that runs it.

Run it again (with a newer Python) to move to a newer Unicode version:
    python tools/make_unicode_tables.py > src/deixis/native/unicode_tables.inc
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

HEADER = Path(__file__).resolve().parents[1] / "src" / "deixis" / "native" / "unicode.hpp"
BLOCK = 128
# Classes and flags of characters are numbered in unicode.hpp.
_NUMBERS = {name: int(number) for name, number in re.findall(r"\bk(\w+) = (\d+)", HEADER.read_text(encoding="utf-8"))}
OTHER, WORD, UNSPACED, MARK, JOINER, PUNCTUATION, SPACE = (
    _NUMBERS[name] for name in ("Other", "Word", "Unspaced", "Mark", "Joiner", "Punctuation", "Space")
)
SIMPLE, UPPER, LOWER, NUMBER, IGNORABLE = (
    _NUMBERS[name] for name in ("Simple", "Upper", "Lower", "Number", "Ignorable")
)

UNSPACED_NAMES = (
    "CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ITERATION MARK", "IDEOGRAPHIC NUMBER ZERO",
    "VERTICAL IDEOGRAPHIC ITERATION MARK", "HIRAGANA ", "KATAKANA ", "KATAKANA-HIRAGANA", "HALFWIDTH KATAKANA",
    "HENTAIGANA", "THAI CHARACTER", "LAO ", "KHMER ", "MYANMAR ",
)  # fmt: skip
# Letters by category, but they mark the kana before them.
VOICED_SOUND_MARKS = (0xFF9E, 0xFF9F)
# Invisible inside a word: they neither split nor belong to it.
JOINERS = (0x00AD, 0x061C, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF)
# Default_Ignorable_Code_Point of the Unicode character database.
IGNORABLES = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
HANGUL_FIRST, HANGUL_LAST = 0xAC00, 0xD7A3


def code_points() -> Iterator[int]:
    """Every code point but the surrogates, which no decoded text holds."""
    yield from range(0xD800)
    yield from range(0xE000, 0x110000)


def char_class(cp: int) -> int:
    """How the tokenizer sees the character."""
    category = unicodedata.category(chr(cp))
    if cp in JOINERS:
        return JOINER
    if category[0] == "M" or cp in VOICED_SOUND_MARKS:
        return MARK
    if category[0] == "L" or category == "Nl":
        return UNSPACED if unicodedata.name(chr(cp), "").startswith(UNSPACED_NAMES) else WORD
    if chr(cp).isspace():
        return SPACE
    return {"N": WORD, "P": PUNCTUATION}.get(category[0], OTHER)


def compositions() -> dict[tuple[int, int], int]:
    """Pairs that NFC composes, without the Hangul syllables, which are computed."""
    pairs = {}
    for cp in code_points():
        parts = unicodedata.decomposition(chr(cp)).split()
        if len(parts) == 2 and parts[0][0] != "<" and unicodedata.normalize("NFC", chr(cp)) == chr(cp):
            pairs[int(parts[0], 16), int(parts[1], 16)] = cp
    return pairs


class Tables:
    """One record per distinct behaviour, and a two-stage table from code point to record."""

    def __init__(self) -> None:
        self.pairs = compositions()
        self.seconds = {second for _, second in self.pairs} | set(range(0x1161, 0x11C3))
        self.pool: list[int] = [0]
        self.pool_at: dict[tuple[int, ...], int] = {}
        self.records: dict[tuple[int, int, int, int], int] = {}
        self.stage1: list[int] = []
        self.stage2: list[int] = []
        blocks: dict[tuple[int, ...], int] = {}
        for first in range(0, 0x110000, BLOCK):
            block = tuple(self.record(cp) for cp in range(first, first + BLOCK))
            if block not in blocks:
                blocks[block] = len(self.stage2) // BLOCK
                self.stage2.extend(block)
            self.stage1.append(blocks[block])

    def record(self, cp: int) -> int:
        """The number of the record (flags, combining class, case folding, decomposition) of `cp`."""
        if 0xD800 <= cp < 0xE000:
            cp = 0xE000
        char, fold, decomposition = chr(cp), 0, 0
        if char.casefold() != char:
            fold = self.pooled(char.casefold())
        if not HANGUL_FIRST <= cp <= HANGUL_LAST and unicodedata.normalize("NFKD", char) != char:
            decomposition = self.pooled(unicodedata.normalize("NFKD", char))
        entry = (self.flags(cp), unicodedata.combining(char), fold, decomposition)
        return self.records.setdefault(entry, len(self.records))

    def pooled(self, text: str) -> int:
        """Where the sequence stands in the pool, its length first."""
        sequence = tuple(map(ord, text))
        if sequence not in self.pool_at:
            self.pool_at[sequence] = len(self.pool)
            self.pool.extend((len(sequence), *sequence))
        return self.pool_at[sequence]

    def flags(self, cp: int) -> int:
        """Class and flag bits."""
        category = unicodedata.category(chr(cp))
        flags = char_class(cp)
        flags |= UPPER * (category in ("Lu", "Lt")) | LOWER * (category == "Ll") | NUMBER * (category[0] == "N")
        if any(low <= cp <= high for low, high in IGNORABLES):
            return flags | IGNORABLE
        folded = chr(cp).casefold()
        is_simple = len(folded) == 1 and self.is_inert(cp) and self.is_inert(ord(folded))
        return flags | SIMPLE * is_simple

    def is_inert(self, cp: int) -> bool:
        """Whether NFKC leaves the character alone whatever stands before it."""
        same = unicodedata.normalize("NFKC", chr(cp)) == chr(cp)
        return same and unicodedata.combining(chr(cp)) == 0 and cp not in self.seconds


def rows(values: Sequence[int], width: int = 20) -> str:
    """The numbers as lines of C++."""
    return "\n".join(",".join(map(str, values[at : at + width])) + "," for at in range(0, len(values), width))


def main() -> None:
    """Write the tables to standard output."""
    tables = Tables()
    if max(len(tables.pool), len(tables.records), max(tables.stage1)) > 0xFFFF:
        sys.exit("The tables no longer fit 16 bits: widen them here and in unicode.cpp.")
    pairs = sorted(tables.pairs.items())
    print("// Made by tools/make_unicode_tables.py; do not edit.")
    print(f'inline constexpr const char *unicode_version = "{unicodedata.unidata_version}";')
    print(f"inline constexpr int block_size = {BLOCK};")
    print(f"inline constexpr std::uint16_t stage1[] = {{\n{rows(tables.stage1)}\n}};")
    print(f"inline constexpr std::uint16_t stage2[] = {{\n{rows(tables.stage2)}\n}};")
    records = [f"{{{flags},{ccc},{fold},{parts}}}" for flags, ccc, fold, parts in tables.records]
    lines = [",".join(records[at : at + 8]) + "," for at in range(0, len(records), 8)]
    print("inline constexpr CharRecord records[] = {\n" + "\n".join(lines) + "\n};")
    print(f"inline constexpr std::uint32_t pool[] = {{\n{rows(tables.pool)}\n}};")
    firsts = [first << 32 | second for (first, second), _ in pairs]
    print(f"inline constexpr std::uint64_t pair_keys[] = {{\n{rows(firsts, 8)}\n}};")
    print(f"inline constexpr std::uint32_t pair_values[] = {{\n{rows([value for _, value in pairs])}\n}};")


if __name__ == "__main__":
    main()

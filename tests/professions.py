"""A small list of professions in German and English whose names are made of parts that recur."""

FIELDS = {
    "Zahn": "dental", "Tier": "animal", "Augen": "eye", "Haut": "skin", "Kinder": "child", "Holz": "timber",
    "Metall": "metal", "Garten": "garden", "Wasser": "water", "Schiff": "ship",
}  # fmt: skip
ROLES = {
    "pfleger": "nurse", "techniker": "technician", "berater": "adviser", "händler": "trader", "forscher": "researcher",
    "lehrer": "teacher", "prüfer": "inspector",
}  # fmt: skip
PAIRS = [(german + role, f"{FIELDS[german]} {ROLES[role]}") for german in FIELDS for role in ROLES]
HELD_OUT = [pair for number, pair in enumerate(PAIRS) if number % 11 == 3]
NAMES = [pair for pair in PAIRS if pair not in HELD_OUT]


def english_records() -> list[dict[str, str]]:
    """All professions, by their English names alone."""
    return [{"id": english, "title": english} for _, english in PAIRS]


def records() -> list[dict[str, object]]:
    """All professions with the languages of their names; those held out have no German one."""
    return [
        {"id": english, "title": english, "aliases": [{"text": english, "lang": "en"}, {"text": german, "lang": "de"}]}
        for german, english in NAMES
    ] + [{"id": english, "title": english, "aliases": [{"text": english, "lang": "en"}]} for _, english in HELD_OUT]

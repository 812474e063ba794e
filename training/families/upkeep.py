"""Folders put in order by meaning: what may go or belongs elsewhere is told, not its name.

The folder is looked at first; then a glob of what lies there does it.
"""

from __future__ import annotations

from training import words
from training.scene import Scene, quote_text
from training.script import Script, format_bash

KINDS: dict[str, tuple[str, ...]] = {
    "pictures": ("jpg", "png", "gif", "jpeg"),
    "photos": ("jpg", "jpeg", "heic"),
    "songs": ("mp3", "wav", "ogg", "flac"),
    "videos": ("mp4", "mov", "avi"),
    "spreadsheets": ("csv", "xlsx", "ods"),
    "scripts": ("py", "sh"),
    "web pages": ("html", "htm"),
    "archives": ("zip", "tar", "7z"),
    "PDFs": ("pdf",),
}
MARKED = {
    "drafts": "draft",
    "invoices": "invoice",
    "letters": "letter",
    "recipes": "recipe",
    "reports": "report",
    "receipts": "receipt",
    "contracts": "contract",
    "screenshots": "screenshot",
    "scans": "scan",
    "minutes": "minutes",
}
WASTE: dict[str, tuple[str, ...]] = {
    "old backups": ("bak", "old"),
    "backups": ("bak", "backup"),
    "temporary files": ("tmp", "temp"),
    "logs": ("log",),
    "half downloads": ("part", "crdownload"),
    "packed files": ("zip", "gz"),
}
PLAIN = ("txt", "md", "rst", "c")
DOUBTFUL = ("back", "old", "temp", "log", "part", "pack", "zip")
"""Endings of what stays."""


def delete_waste(scene: Scene) -> Script:
    """What nobody needs goes: the folder is seen, then the endings that are there."""
    what = scene.pick(*WASTE)
    names = _make_files(scene, WASTE[what])
    _add_others(scene, *DOUBTFUL)
    yield scene.ask("clean-up", what=what)
    seen = yield format_bash("ls")
    yield format_bash(f"rm {_build_globs(names)}")
    yield f"I deleted {words.format_list([one for one in seen.lines if one in names])}."


def clean_year(scene: Scene) -> Script:
    """All of one year goes, or is moved; other years stay."""
    first = scene.random.randint(2012, 2028)
    names = {year: _make_dated_files(scene, year) for year in (first, first + 1)}
    year, folder, moved = scene.pick(*names), scene.draw_folder(), scene.draw_chance(0.4)
    yield scene.ask("year-away" if moved else "year-gone", year=year, folder=folder)
    seen = yield format_bash("ls")
    yield format_bash(f"mkdir {folder} && mv *{year}*.* {folder}/" if moved else f"rm *{year}*")
    hit = words.format_list([one for one in seen.lines if one in names[year]])
    yield f"I moved {hit} to {folder}." if moved else f"I deleted {hit}."


def put_away(scene: Scene) -> Script:
    """Things of one sort go to a folder: by their endings, or by what their names say."""
    sort = scene.pick(*KINDS, *MARKED)
    folder = sort if " " not in sort and scene.draw_chance(0.25) else scene.draw_folder()
    mark = MARKED.get(sort, "")
    names = (
        _make_marked_files(scene, mark, scene.random.randint(2, 4))
        if mark
        else _make_files(scene, KINDS[sort])
    )
    _add_others(scene, *([mark] if mark else []))
    there = scene.draw_chance(0.3)
    if there:
        scene.put_file(f"{folder}/{scene.draw_name(ending='rst')}", "x")
    yield scene.ask("put-away", what=sort, folder=folder)
    seen = yield format_bash("ls")
    first = "" if all(name.startswith(mark) for name in names) else "*"
    globs = f"{first}{mark}*.*" if mark else _build_globs(names)
    yield format_bash(f"{'' if there else f'mkdir {folder} && '}mv {globs} {folder}/")
    yield f"I moved {words.format_list([one for one in seen.lines if one in names])} to {folder}."


def rename_one(scene: Scene) -> Script:
    """The only one of its sort gets a name; its ending stays."""
    sort, stem = scene.pick(*KINDS, *MARKED), scene.draw_folder()
    mark = MARKED.get(sort, "")
    name = _make_marked_files(scene, mark, 1)[0] if mark else scene.draw_name(ending=scene.pick(*KINDS[sort]))
    scene.put_file(name, scene.draw_note(2))
    _add_others(scene, *([mark] if mark else []))
    yield scene.ask("rename-one", what=sort.removesuffix("s") if sort != "minutes" else sort, new=stem)
    yield format_bash("ls")
    new = f"{stem}.{name.rpartition('.')[2]}"
    yield format_bash(f"mv {quote_text(name)} {new}")
    yield f"{name} is called {new} now."


def _make_files(scene: Scene, endings: tuple[str, ...]) -> list[str]:
    """Make files with one or two of the endings."""
    drawn = scene.random.sample(endings, min(len(endings), scene.pick(1, 1, 2)))
    names = [scene.draw_name(ending=ending) for ending in drawn for _ in range(scene.pick(1, 2, 2))]
    return [scene.put_file(name, scene.draw_note(1)) for name in names]


def _build_globs(names: list[str]) -> str:
    """Name a single file; of more all that end so."""
    endings = dict.fromkeys(name.rpartition(".")[2] for name in names)
    return quote_text(names[0]) if len(names) == 1 else " ".join(f"*.{ending}" for ending in endings)


def _make_marked_files(scene: Scene, mark: str, many: int) -> list[str]:
    """Make files whose names say what they are, at the front or at the end."""
    form = scene.pick(
        "{mark}_{more}.{ending}", "{mark}-{more}.{ending}", "{more}_{mark}.{ending}", "{mark}{n}.{ending}"
    )
    numbers = scene.random.sample(range(1, 40), many)
    names = [
        form.format(mark=mark, more=scene.draw_folder(), n=n, ending=scene.pick("txt", "txt", "md", "pdf"))
        for n in numbers
    ]
    return [scene.put_file(name, scene.draw_note(2)) for name in names]


def _make_dated_files(scene: Scene, year: int) -> list[str]:
    form = scene.pick(
        "{more}_{year}.{end}", "{year}-{month:02}_{more}.{end}", "{more}-{year}-{month:02}.{end}"
    )
    draw = scene.random.randint
    return [
        scene.put_file(
            form.format(
                more=scene.draw_word(), year=year, month=draw(1, 12), end=words.draw_ending(scene.random)
            ),
            "x",
        )
        for _ in range(draw(1, 3))
    ]


def _add_others(scene: Scene, *marks: str) -> None:
    """Put files beside them that are none of these."""
    names = [scene.draw_name(ending=scene.pick(*PLAIN)) for _ in range(scene.random.randint(1, 4))]
    for name in names:
        if not any(mark in name.lower() for mark in marks):
            scene.put_file(name, scene.draw_note(2))

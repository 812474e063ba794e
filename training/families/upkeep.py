"""Folders put in order by meaning: what may go or belongs elsewhere is told, not its name.

The folder is looked at first; then a glob of what lies there does it.
"""

from __future__ import annotations

from training import words
from training.scene import Scene, quoted
from training.script import Script, bash

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


def clean(scene: Scene) -> Script:
    """What nobody needs goes: the folder is seen, then the endings that are there."""
    what = scene.pick(*WASTE)
    names = _some(scene, WASTE[what])
    _others(scene, *DOUBTFUL)
    yield scene.ask("clean-up", what=what)
    seen = yield bash("ls")
    yield bash(f"rm {_globs(names)}")
    yield f"I deleted {words.listed([one for one in seen.lines if one in names])}."


def clean_year(scene: Scene) -> Script:
    """All of one year goes, or is moved; other years stay."""
    first = scene.random.randint(2012, 2028)
    names = {year: _dated(scene, year) for year in (first, first + 1)}
    year, folder, moved = scene.pick(*names), scene.folder(), scene.chance(0.4)
    yield scene.ask("year-away" if moved else "year-gone", year=year, folder=folder)
    seen = yield bash("ls")
    yield bash(f"mkdir {folder} && mv *{year}*.* {folder}/" if moved else f"rm *{year}*")
    hit = words.listed([one for one in seen.lines if one in names[year]])
    yield f"I moved {hit} to {folder}." if moved else f"I deleted {hit}."


def put_away(scene: Scene) -> Script:
    """Things of one sort go to a folder: by their endings, or by what their names say."""
    sort = scene.pick(*KINDS, *MARKED)
    folder = sort if " " not in sort and scene.chance(0.25) else scene.folder()
    mark = MARKED.get(sort, "")
    names = _marked(scene, mark, scene.random.randint(2, 4)) if mark else _some(scene, KINDS[sort])
    _others(scene, *([mark] if mark else []))
    there = scene.chance(0.3)
    if there:
        scene.put(f"{folder}/{scene.fresh(ending='rst')}", "x")
    yield scene.ask("put-away", what=sort, folder=folder)
    seen = yield bash("ls")
    first = "" if all(name.startswith(mark) for name in names) else "*"
    globs = f"{first}{mark}*.*" if mark else _globs(names)
    yield bash(f"{'' if there else f'mkdir {folder} && '}mv {globs} {folder}/")
    yield f"I moved {words.listed([one for one in seen.lines if one in names])} to {folder}."


def rename_one(scene: Scene) -> Script:
    """The only one of its sort gets a name; its ending stays."""
    sort, stem = scene.pick(*KINDS, *MARKED), scene.folder()
    mark = MARKED.get(sort, "")
    name = _marked(scene, mark, 1)[0] if mark else scene.fresh(ending=scene.pick(*KINDS[sort]))
    scene.put(name, scene.note(2))
    _others(scene, *([mark] if mark else []))
    yield scene.ask("rename-one", what=sort.removesuffix("s") if sort != "minutes" else sort, new=stem)
    yield bash("ls")
    new = f"{stem}.{name.rpartition('.')[2]}"
    yield bash(f"mv {quoted(name)} {new}")
    yield f"{name} is called {new} now."


def _some(scene: Scene, endings: tuple[str, ...]) -> list[str]:
    """Make files with one or two of the endings."""
    drawn = scene.random.sample(endings, min(len(endings), scene.pick(1, 1, 2)))
    names = [scene.fresh(ending=ending) for ending in drawn for _ in range(scene.pick(1, 2, 2))]
    return [scene.put(name, scene.note(1)) for name in names]


def _globs(names: list[str]) -> str:
    """Name a single file; of more all that end so."""
    endings = dict.fromkeys(name.rpartition(".")[2] for name in names)
    return quoted(names[0]) if len(names) == 1 else " ".join(f"*.{ending}" for ending in endings)


def _marked(scene: Scene, mark: str, many: int) -> list[str]:
    """Make files whose names say what they are, at the front or at the end."""
    form = scene.pick(
        "{mark}_{more}.{ending}", "{mark}-{more}.{ending}", "{more}_{mark}.{ending}", "{mark}{n}.{ending}"
    )
    numbers = scene.random.sample(range(1, 40), many)
    names = [
        form.format(mark=mark, more=scene.folder(), n=n, ending=scene.pick("txt", "txt", "md", "pdf"))
        for n in numbers
    ]
    return [scene.put(name, scene.note(2)) for name in names]


def _dated(scene: Scene, year: int) -> list[str]:
    form = scene.pick(
        "{more}_{year}.{end}", "{year}-{month:02}_{more}.{end}", "{more}-{year}-{month:02}.{end}"
    )
    draw = scene.random.randint
    return [
        scene.put(
            form.format(more=scene.word(), year=year, month=draw(1, 12), end=words.ending(scene.random)),
            "x",
        )
        for _ in range(draw(1, 3))
    ]


def _others(scene: Scene, *marks: str) -> None:
    """Put files beside them that are none of these."""
    names = [scene.fresh(ending=scene.pick(*PLAIN)) for _ in range(scene.random.randint(1, 4))]
    for name in names:
        if not any(mark in name.lower() for mark in marks):
            scene.put(name, scene.note(2))

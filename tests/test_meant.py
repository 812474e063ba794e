"""A block without a path is saved where its path was meant, and run as it is where it was not."""

import subprocess

import pytest
from tests.filing import open_plain, put

from tripletick.agents.templates import load_templates
from tripletick.dialects.fence import parse_reply
from tripletick.messages import Call
from tripletick.system import dirs
from tripletick.tools.name_quoting import quote_names
from tripletick.tools.path_inference import infer_path
from tripletick.turn import attachments
from tripletick.turn.request_kinds import note_request

SAID = load_templates(dirs.find_dirs().prompts)
OLD = "def mean(x):\n    return sum(x) / 2\n\nprint(mean([4, 5, 9]))\n"
NEW = "def mean(x):\n    return sum(x) / len(x)\n\nprint(mean([4, 5, 9]))"


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as opened:
        put(opened, "calc.py", OLD)
        yield opened


@pytest.mark.parametrize(
    ("before", "meant"),
    [
        ("Save this corrected `calc.py`:", "calc.py"),
        ("**calc.py**", "calc.py"),
        ("Here is src/calc.py:\n", "src/calc.py"),
        ("Compare a.py with b.py:", ""),
        ("It reads data.csv:", ""),
        ("Run it.", ""),
        ("calc.py is above.\n\n\nThis is another:", ""),
    ],
)
def test_the_line_before_a_block_names_its_file(before, meant):
    (call,) = parse_reply(f"{before}\n```python\nprint(1)\n```", ["python"]).calls
    assert (call.path, call.meant) == (None, meant)


def test_a_new_version_of_a_file_that_was_seen_is_saved_there(context):
    attachments.attach_named_files("fix calc.py", context)
    assert infer_path(Call("python", NEW, meant="calc.py"), context).path == "calc.py"


def test_it_is_saved_there_too_where_the_request_named_that_file_alone(context):
    attachments.attach_named_files("fix calc.py", context)
    assert infer_path(Call("python", NEW), context).path == "calc.py"


def test_of_several_files_that_the_request_named_it_is_the_one_that_is_much_like_it(context):
    put(context, "start.sh", "python3 calc.py 4 5 9\n")
    request = "start.sh fails: calc.py is wrong"
    attachments.attach_named_files(request, context)
    assert infer_path(Call("python", NEW), context).path == "calc.py"
    assert infer_path(Call("python", "print(1)\nprint(2)"), context).path is None
    put(context, "copy.py", OLD)
    attachments.attach_named_files(f"{request}, and copy.py", context)
    assert infer_path(Call("python", NEW), context).path is None


def test_it_is_the_file_that_is_to_be_repaired(context):
    put(context, "settings.json", '{"a": [1,],}')
    files = attachments.attach_files("python3 calc.py fails. Fix settings.json.", ["*"], context, SAID)
    assert "settings.json, 1 line:" in files
    assert context.ledger.asked == "settings.json"


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ("python3 calc.py fails. Fix settings.json.", "settings.json"),
        ("Please repair the script `src/run.sh`, it stops", "src/run.sh"),
        ("fix the bug in calc.py; test.py shows it", "calc.py"),
        ("Korrigiere den Fehler in der calc.py", ""),
        ("Behebe die Fehler in calc.py", "calc.py"),
        ("Corrige l'erreur: calc.py plante", ""),
        ("Fix it so that python3 a.py works", ""),
        ("The prefix of a.py is long", ""),
        ("Fix version 1.2", ""),
    ],
)
def test_what_is_to_be_repaired_stands_behind_the_verb(request_, name):
    assert SAID.find_named_object("mends", request_) == name


def test_a_file_that_was_not_seen_is_left_alone(context):
    assert infer_path(Call("python", NEW, meant="calc.py"), context).path is None


def test_a_new_file_is_made(context):
    assert infer_path(Call("python", NEW, meant="other.py"), context).path == "other.py"


def test_a_file_without_content_is_filled(context):
    put(context, "touched.py", "")
    assert infer_path(Call("python", NEW, meant="touched.py"), context).path == "touched.py"


def test_a_program_begins_below_the_lines_that_repeat_its_fence(context):
    call = infer_path(Call("python", "total.py\npython\nimport csv\n", "total.py"), context)
    assert call.body == "import csv\n"
    assert infer_path(Call("text", "notes.txt\nbuy milk", "notes.txt"), context).body == "notes.txt\nbuy milk"


@pytest.mark.parametrize(
    "body",
    [
        "import calc\nprint(calc.mean([1]))",
        "from calc import mean\nprint(mean([1]))",
        "print(open('calc.py').read())",
        "print(sum([1, 2, 3]) / 3)",
    ],
)
def test_a_program_that_uses_the_file_or_is_another_runs_as_it_is(context, body):
    attachments.attach_named_files("fix calc.py", context)
    assert infer_path(Call("python", body, meant="calc.py"), context).path is None


@pytest.mark.parametrize(
    ("call", "path"),
    [
        (Call("python", "import csv\nprint(1)", "berlin.csv"), None),
        (Call("python", "name,city\nAnn,Berlin", "berlin.csv"), "berlin.csv"),
        (Call("python", "print(1)", "a.py"), "a.py"),
        (Call("write", "import csv", "a.txt"), "a.txt"),
    ],
)
def test_a_program_under_the_path_of_data_is_run_and_not_saved(context, call, path):
    assert infer_path(call, context).path == path


@pytest.mark.parametrize(
    ("body", "path", "left"),
    [
        ("bash:run.sh\necho 2\n", "run.sh", "echo 2\n"),
        ("python:calc.py\nprint(2)\n", "calc.py", "print(2)\n"),
        ("```python:calc.py\nprint(2)\n", "calc.py", "print(2)\n"),
        ("python:calc.txt\nprint(2)\n", None, "python:calc.txt\nprint(2)\n"),
        ("python:calc.py\n", None, "python:calc.py\n"),
    ],
)
def test_a_tag_with_a_path_on_the_first_line_is_the_fence_s(context, body, path, left):
    call = infer_path(Call(body.strip("`").partition(":")[0], body), context)
    assert (call.path, call.body) == (path, left)


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        ("Arrange the letters of Mumbai in alphabetical order.", None),
        ("Write a program that arranges the letters of Mumbai", "sort.py"),
        ("the mean of the numbers in calc.py", "sort.py"),
    ],
)
def test_a_program_for_a_result_is_run_and_not_saved(context, request_, path):
    attachments.attach_named_files(request_, context)
    note_request(context.ledger, SAID, request_, "")
    assert infer_path(Call("python", "print(sorted('Mumbai'))", "sort.py"), context).path == path


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("cat Tax_2024.txt", "cat 'tax 2024.txt'"),
        ('grep -i paid "Tax-2024.txt" | wc -l\n', 'grep -i paid "tax 2024.txt" | wc -l\n'),
        ("ls; pwd\nsed -i s/a/b/ Tax2024.txt", "ls; pwd\nsed -i s/a/b/ 'tax 2024.txt'"),
        ("cat calc.py > Tax_2024.txt", "cat calc.py > Tax_2024.txt"),
        ("touch Tax_2024.txt", "touch Tax_2024.txt"),
        ("cat tax_2024.md notes/tax_2024.txt", "cat tax_2024.md notes/tax_2024.txt"),
        ("chmod +x in/my_log.sh ./in/my_log.sh", "chmod +x 'in/my log.sh' './in/my log.sh'"),
        ("rm in/My_Log.sh gone/my_log.sh", "rm 'in/my log.sh' gone/my_log.sh"),
        (
            "mv 'tax 2024.txt' tax_2024.txt\ncat tax_2024.txt",
            "mv 'tax 2024.txt' tax_2024.txt\ncat tax_2024.txt",
        ),
        ("cat a_b.txt", "cat a_b.txt"),
    ],
)
def test_a_name_gets_its_blanks_back(context, body, meant):
    for name in ("tax 2024.txt", "a b.txt", "ab.txt", "a  b.txt", "in/my log.sh"):
        put(context, name, "paid\n")
    assert infer_path(Call("bash", body), context).body == meant


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ('for f in inv/*.txt; do mv "$f" ${f:0:4}/; done', 'for f in inv/*.txt; do mv "$f" ${f:4:4}/; done'),
        ('for f in "my in"/*; do y=${f:1}; done', 'for f in "my in"/*; do y=${f:7}; done'),
        ('for f in "a/b"/*\ndo y=${f:1}; z=${f:9:2}', 'for f in "a/b"/*\ndo y=${f:5}; z=${f:9:2}'),
        ("for f in *; do y=${f:0:4}; done", "for f in *; do y=${f:0:4}; done"),
        (
            'for f in inv/IMG_*; do\n  mv "$f" "hive_${f##IMG_}"\ndone',
            'for f in inv/IMG_*; do\n  mv "$f" "inv/hive_${f#inv/IMG_}"\ndone',
        ),
        (
            'for f in inv/*; do mv "$f" "${f#IMG_}"; done',
            'for f in inv/*; do mv "$f" "inv/${f#inv/IMG_}"; done',
        ),
        (
            'for f in inv/*; do cp $f "new-$f.bak"; done',
            'for f in inv/*; do cp $f "inv/new-${f#inv/}.bak"; done',
        ),
        ('for f in inv/*; do cp $f "$f.bak"; done', 'for f in inv/*; do cp $f "$f.bak"; done'),
        (
            'for f in inv/*; do mv "$f" "out/${f##*/}"; done',
            'for f in inv/*; do mv "$f" "out/${f##*/}"; done',
        ),
        ('for f in *; do mv "$f" "new_$f"; done', 'for f in *; do mv "$f" "new_$f"; done'),
        ("for f in */*; do y=${f:0:4}; done", "for f in */*; do y=${f:0:4}; done"),
        ("for f in a/*; do y=${g:0:4}; done", "for f in a/*; do y=${g:0:4}; done"),
        (
            'for f in "a b"/*; do echo "${f//a/o}"; done',
            'for f in "a b"/*; do echo "${f%/*}/$(name="${f##*/}"; printf %s "${name//a/o}")"; done',
        ),
        ("for f in a/*; do echo ${f// /_}; done", "for f in a/*; do echo ${f// /_}; done"),
        ("mv in/*.pdf /path/to/new/Bills/", "mv in/*.pdf Bills/"),
        ("mv in/*.pdf /path/to/other; ls ./path/to/Bills", "mv in/*.pdf /path/to/other; ls ./path/to/Bills"),
        ("ls -l in | wc -l", "ls in | wc -l"),
        ("grep -o -i '\\b\\w+\\b' a.txt | wc -l", "grep -E -o -i '\\b\\w+\\b' a.txt | wc -l"),
        ('grep -oE "[0-9]+" a.txt', 'grep -oE "[0-9]+" a.txt'),
        ('grep "[0-9]+" a.txt', 'grep -E "[0-9]+" a.txt'),
        ("grep -c '\\d+' a.txt", "grep -P -c '\\d+' a.txt"),
        ("grep '\\([a-z]\\)+' a.txt", "grep '\\([a-z]\\)+' a.txt"),
        ("grep -e '[0-9]+' a.txt", "grep -E -e '[0-9]+' a.txt"),
        ("grep -c '(s)?' a.txt", "grep -c '(s)?' a.txt"),
        ("grep '1+1' a.txt; grep 'a(b)' c", "grep '1+1' a.txt; grep 'a(b)' c"),
        ("n=$(ls -la | wc -l)", "n=$(ls -A | wc -l)"),
        ("ls -1 | wc -l; ls -l | grep x | wc -l", "ls -1 | wc -l; ls -l | grep x | wc -l"),
    ],
)  # fmt: skip
def test_a_command_does_what_is_meant(context, body, meant):
    context.ledger.task = "Move them to a new folder Bills"
    assert infer_path(Call("bash", body), context).body == meant


def test_a_block_that_writes_a_script_is_no_version_of_it(context):
    script = "#!/bin/bash\n# prints how many files are in a folder\nls $1 | wc -l\n"
    put(context, "howmany.sh", script)
    attachments.attach_named_files("howmany.sh fails, mend it", context)
    context.ledger.asked = "howmany.sh"
    new = script.replace("$1", '"$1"')
    assert infer_path(Call("bash", new), context).path == "howmany.sh"
    assert infer_path(Call("bash", f"cat > howmany.sh <<'EOF'\n{new}EOF\n"), context).path is None


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("echo 'c, 3' >> open.txt", "echo >> open.txt\necho 'c, 3' >> open.txt"),
        (
            "for n in c d; do\n  echo $n >> 'an open.txt'\ndone",
            "echo >> 'an open.txt'\nfor n in c d; do\n  echo $n >> 'an open.txt'\ndone",
        ),
        ("cat > add.sh <<'EOF'\necho x >> open.txt\nEOF", "cat > add.sh <<'EOF'\necho x >> open.txt\nEOF"),
        ("if true; then echo x >> open.txt; fi", "if true; then echo x >> open.txt; fi"),
        (
            "for d in */; do cd $d; echo x >> open.txt; done",
            "for d in */; do cd $d; echo x >> open.txt; done",
        ),
        (
            "echo c >> open.txt\necho d >> ./open.txt",
            "echo >> open.txt\necho c >> open.txt\necho d >> ./open.txt",
        ),
        ("echo x >> 'a\0.txt'", "echo x >> 'a\0.txt'"),
        ("cat -n open.txt closed.txt > all.txt", "cat -n open.txt closed.txt > all.txt"),
        ("echo c >> closed.txt", "echo c >> closed.txt"),
        ("echo c >> new.txt", "echo c >> new.txt"),
        ("echo -n c >> open.txt", "echo -n c >> open.txt"),
        ("printf '!' >> open.txt", "printf '!' >> open.txt"),
        ("printf '\\nc\\n' >> open.txt", "printf '\\nc\\n' >> open.txt"),
        ('echo -e "\\nc" >> open.txt', 'echo -e "\\nc" >> open.txt'),
        ("echo >> open.txt; echo c >> open.txt", "echo >> open.txt; echo c >> open.txt"),
        ("printf '%s\\n' c >> open.txt", "echo >> open.txt\nprintf '%s\\n' c >> open.txt"),
        ("sed -i '$a c' open.txt; echo d >> open.txt", "sed -i '$a c' open.txt; echo d >> open.txt"),
        ("cd in; echo c >> open.txt", "cd in; echo c >> open.txt"),
        ("cat open.txt closed.txt > all.txt", "awk 1 open.txt closed.txt > all.txt"),
        ("cat closed.txt open.txt > all.txt", "cat closed.txt open.txt > all.txt"),
        ("cat in/*.txt | sort; cat in/*.txt > all.txt", "cat in/*.txt | sort; awk 1 in/*.txt > all.txt"),
        ("cat open.txt closed.txt > all.bin", "cat open.txt closed.txt > all.bin"),
        ("cat open.txt > all.txt", "cat open.txt > all.txt"),
        (
            'for f in in/*.txt; do\n cat "$f" >> all.txt; done',
            'for f in in/*.txt; do\n awk 1 "$f" >> all.txt; done',
        ),
    ],
)
def test_a_line_is_ended_before_others_come_behind_it(context, body, meant):
    for name in ("open.txt", "an open.txt", "in/1.txt"):
        put(context, name, "a, 1\nb, 2")
    for name in ("closed.txt", "in/2.txt"):
        put(context, name, "a, 1\nb, 2\n")
    assert infer_path(Call("bash", body), context).body == meant


def test_a_short_program_of_which_most_signs_stay_is_the_new_version(context):
    put(context, "main.py", "from shapes import circle_area\n\nprint(round(circle_area(2), 2))\n")
    attachments.attach_named_files("main.py fails", context)
    context.ledger.asked = "main.py"
    new = "from shapes import area_of_circle\n\nprint(round(area_of_circle(2), 2))\n"
    assert infer_path(Call("python", new), context).path == "main.py"
    assert infer_path(Call("python", "import shapes\nprint(dir(shapes))\n"), context).path is None


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("mkdir Old\nmv roll/img_1.jpg roll/b.JPG Old/", "mkdir Old\nmv roll/IMG_1.JPG roll/b.JPG Old/"),
        ("mv 'roll/img_1.jpg' Old/ && cat READ.ME", "mv 'roll/IMG_1.JPG' Old/ && cat Read.Me"),
        ("cat read.me | grep img_1.jpg", "cat Read.Me | grep img_1.jpg"),
        ("mv roll/IMG_1.JPG img_1.jpg", "mv roll/IMG_1.JPG img_1.jpg"),
        ("cp roll/IMG_1.JPG read.me; cat read.me", "cp roll/IMG_1.JPG read.me; cat read.me"),
        ("sort Read.Me > READ.ME", "sort Read.Me > READ.ME"),
        ("touch read.me\ngrep img_1.jpg x\nrm read.me", "touch read.me\ngrep img_1.jpg x\nrm read.me"),
        ("cat b.jpg c.txt", "cat b.jpg c.txt"),
    ],
)
def test_a_name_is_the_only_one_in_other_upper_and_lower_case(context, body, meant):
    for name in ("roll/IMG_1.JPG", "Read.Me", "roll/b.JPG", "B.jpg"):
        put(context, name, "text\n")
    assert infer_path(Call("bash", body), context).body == meant


@pytest.mark.parametrize(
    ("tag", "path", "meant"),
    [
        ("python", "page_menu.html", "menu.html"),
        ("html", "page.html", "menu.html"),
        ("html", None, "menu.html"),
        ("css", "page.css", "page.css"),
        ("python", "menu.py", "menu.py"),
    ],
)
def test_a_page_gets_the_name_of_the_request(context, tag, path, meant):
    attachments.attach_named_files("make a page menu.html", context, below=False)
    assert infer_path(Call(tag, "<h1>x</h1>", path), context).path == meant


@pytest.mark.parametrize(
    ("request_", "kept"), [("change a to b in x.txt", False), ("change a to b, with a backup", True)]
)
def test_sed_leaves_a_copy_only_where_one_is_wanted(context, request_, kept):
    context.ledger.task = request_
    assert (".bak" in infer_path(Call("bash", "sed -i.bak s/a/b/ x.txt"), context).body) is kept
    assert infer_path(Call("bash", "sed -i s/a/b/ x.txt"), context).body == "sed -i s/a/b/ x.txt"


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("sed -i 's/a b.txt/x/' a b.txt", "sed -i 's/a b.txt/x/' 'a b.txt'"),
        ("cd trip to rome/\nzip -r x.zip *.pdf", "cd 'trip to rome'/\nzip -r x.zip *.pdf"),
        ("mv trip to rome/b c.txt .", "mv 'trip to rome/b c.txt' ."),
        ("touch a b.txt; echo x >>a b.txt", "touch 'a b.txt'; echo x >>'a b.txt'"),
        ("cat <<END >> log\na b.txt\nEND\ncat ./a b.txt", "cat <<END >> log\na b.txt\nEND\ncat ./'a b.txt'"),
        ("# it's in a b.txt\ncat a b.txt", "# it's in a b.txt\ncat 'a b.txt'"),
        ("cat my a b.txt x", "cat my 'a b.txt' x"),
        ("cat d e.txt", "cat d e.txt"),
        ("cat a b.txt.old xa b.txt a\\ b.txt", "cat a b.txt.old xa b.txt a\\ b.txt"),
        ("echo it's a b.txt", "echo it's a b.txt"),
        ("mkdir -p Old Bills/2024", "mkdir -p 'Old Bills'/2024"),
        ("mv a b.txt a 02.txt", "mv 'a b.txt' 'a 02.txt'"),
        (
            "mv trip to rome/b c.txt trip to rome/b 02.txt",
            "mv 'trip to rome/b c.txt' 'trip to rome/b 02.txt'",
        ),
        ("cp e.txt my new (1).txt\nmv e.txt x y.md", "cp e.txt 'my new (1).txt'\nmv e.txt x y.md"),
        ("mv e.txt d e.txt new", "mv e.txt d e.txt new"),
        ("mv a b.txt b c/", "mv 'a b.txt' b c/"),
        ("Old Bills\necho Old Bills", "Old Bills\necho Old Bills"),
        ('echo "$(wc -l < "a b.txt")" a b.txt', 'echo "$(wc -l < "a b.txt")" \'a b.txt\''),
        ('cat "${1:-"a b.txt"}" "`cat "a b.txt"`"', 'cat "${1:-"a b.txt"}" "`cat "a b.txt"`"'),
        ("cat > x << \\END\na b.txt\nEND", "cat > x << \\END\na b.txt\nEND"),
        ("cat > x <<'OF X'\na b.txt\nOF X", "cat > x <<'OF X'\na b.txt\nOF X"),
        ("cat > x <<A-B\na b.txt\nA-B\ncat a b.txt", "cat > x <<A-B\na b.txt\nA-B\ncat 'a b.txt'"),
        ("mkdir src tests", "mkdir src tests"),
        (
            "mkdir Old Bills\nmkdir -p Old Bills/a Old Bills/b",
            "mkdir 'Old Bills'\nmkdir -p 'Old Bills'/a 'Old Bills'/b",
        ),
        ("echo x >> To Do.txt", "echo x >> 'To Do.txt'"),
        ("echo x > Old Bills/2024.txt", "echo x > 'Old Bills'/2024.txt"),
        pytest.param("cat a b.txt <<A\n" * 2000, "cat a b.txt <<A\n" * 2000, id="long"),
    ],
)
def test_a_name_with_blanks_is_put_between_quotes(context, body, meant):
    for name in ("a b.txt", "trip to rome/b c.txt", "d e.txt", "e.txt"):
        put(context, name, "paid\n")
    context.ledger.task = 'Make "Old Bills" and put a b.txt there, and the folders "src tests", "To Do.txt"'
    assert infer_path(Call("bash", body), context).body == meant


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("mkdir -p Book/Part1 Book/Part_2", "mkdir -p Book/'Part '1 Book/'Part '2"),
        ("mkdir -p Book/Part{1..3}", "mkdir -p Book/'Part '{1..3}"),
        ("for i in 1 2; do mkdir Part$i; done", "for i in 1 2; do mkdir 'Part '$i; done"),
        ("mkdir 'Part 1' Part2", "mkdir 'Part 1' Part2"),
        ("mkdir Apart1 Part1.old", "mkdir Apart1 Part1.old"),
        ("mkdir Day1", "mkdir Day1"),
    ],
)
def test_names_with_numbers_have_the_blank_that_the_request_has(context, body, meant):
    context.ledger.task = 'Make folders "Part 1" to "Part 3" in Book; "Day 1" is Day1'
    assert infer_path(Call("bash", body), context).body == meant


@pytest.mark.parametrize(
    ("request_", "body", "limited"),
    [
        ("set a to 2 in [two] of x.ini only", "sed -i 's/a = 1/a = 2/' x.ini", True),
        ("set a to 2 in two of x.ini", 'sed -i "s#a = 1#a = 2#g" x.ini; cat x.ini', True),
        ("set a to 2 in all sections of x.ini, like two", "sed -i 's/a = 1/a = 2/' x.ini", False),
        ("set a to 2 in one and two of x.ini", "sed -i 's/a = 1/a = 2/' x.ini", False),
        ("set a to 2 in two of x.ini", "sed -i '/two/,$s/a = 1/a = 2/' x.ini", False),
        ("set a to 2 in two of x.ini", "sed -i 's/a = 1/a = 2/' y.ini", False),
        ("set a to 2 in two of x.ini", "sed -i 's/a = 1/a = 2/' x.ini z.ini", False),
    ],
)
def test_a_substitution_is_made_in_the_section_that_is_meant(context, request_, body, limited):
    put(context, "x.ini", "[one]\na = 1\n\n[two]\na = 1\n\n[th.ree]\na = 1\n")
    context.ledger.task = request_
    new = infer_path(Call("bash", body), context).body
    assert (r"/^ *\[two\]/,/^ *\[/s" in new) is limited
    assert new.replace(r"/^ *\[two\]/,/^ *\[/s", "s") == body
    if limited:
        root = context.workspace.root
        subprocess.run(["bash", "-c", new], cwd=root, check=True, capture_output=True)
        assert (root / "x.ini").read_text() == "[one]\na = 1\n\n[two]\na = 2\n\n[th.ree]\na = 1\n"


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("grep -ri piano tuner letters", "grep -ri 'piano tuner' letters"),
        ("ls && grep -l Piano tuner letters/*.txt", "ls && grep -l 'Piano tuner' letters/*.txt"),
        ("grep piano letters notes", "grep piano letters notes"),
        ("grep tuner piano letters", "grep tuner piano letters"),
        ("grep wrote notes", "grep wrote notes"),
    ],
)
def test_several_words_that_grep_looks_for_are_one(context, body, meant):
    for name in ("letters/a.txt", "notes"):
        put(context, name, "the piano tuner came\n")
    request = "Which of my letters has the piano tuner? I wrote notes on it"
    assert quote_names(body, context.workspace, request) == meant


def test_a_name_with_blanks_is_quoted_however_deep_it_lies(context):
    put(context, "a/b/old town/x 1.jpg", "x")
    body = infer_path(Call("bash", "rm a/b/old town/x 1.jpg"), context).body
    assert body == "rm 'a/b/old town/x 1.jpg'"


@pytest.mark.parametrize(
    ("request_", "call", "appended"),
    [
        ("Append dist/ and .env to list.txt", Call("python", "dist/\n.env\n", "add_lines"), True),
        ("Append dist/ and .env to list.txt", Call("bash", "dist/\n.env\n"), True),
        ("Append dist/ and .env to list.txt", Call("bash", "dist/\nother/\n"), False),
        ("Append ls to list.txt", Call("bash", "ls"), False),
        ("Append x to list.txt", Call("python", "x"), False),
        ("Put dist/ into list.txt", Call("bash", "dist/"), False),
        ("Append dist/ to list.txt and calc.py", Call("bash", "dist/"), True),
        ("Append dist/ to list.txt and notes.md", Call("bash", "dist/"), False),
    ],
)
def test_lines_of_the_request_alone_are_added_to_its_file(context, request_, call, appended):
    put(context, "list.txt", "a\n")
    put(context, "notes.md", "a\n")
    context.ledger.task = request_
    attachments.attach_named_files(request_, context)
    found = infer_path(call, context)
    assert ((found.tool, found.path) == ("append", "list.txt")) is appended


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("wc -l receits.csv", "wc -l receipts.csv"),
        ("wc -l receipts2.csv", "wc -l receipts2.csv"),
        ("wc -l receits.txt", "wc -l receits.txt"),
        ("wc -l recipes.csv", "wc -l recipes.csv"),
        (
            "sort receipts.csv > receits.csv; cat receits.csv",
            "sort receipts.csv > receits.csv; cat receits.csv",
        ),
    ],
)
def test_a_misspelled_name_means_the_file_of_the_request(context, body, meant):
    for name in ("receipts.csv", "recipe.csv"):
        put(context, name, "paid\n")
    context.ledger.task = "how many lines has receipts.csv"
    assert infer_path(Call("bash", body), context).body == meant


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        (
            "find in -name '*.txt' -exec wc -w {} + | sort -nr | head -n 1",
            "find in -name '*.txt' -exec wc -w {} + | grep -v ' total$' | sort -nr | head -n 1",
        ),
        ("wc -l *.txt | sort -n | tail -1", "wc -l *.txt | grep -v ' total$' | sort -n | tail -1"),
        ("wc -l *.txt | sort -n", "wc -l *.txt | sort -n"),
        ("wc -l *.txt | sort -n | tail -n 2 | head -1", "wc -l *.txt | sort -n | tail -n 2 | head -1"),
        ("wc -l a.txt | sort -n", "wc -l a.txt | sort -n"),
        ("wc -l *.txt | tail -1", "wc -l *.txt | tail -1"),
    ],
)
def test_the_sum_of_all_is_none_of_the_counts_that_are_sorted(context, body, meant):
    assert infer_path(Call("bash", body), context).body == meant


@pytest.mark.parametrize(
    ("request_", "body"),
    [
        ("How many lines do all csv files have together?", "wc -l *.csv | sort -n | tail -n 1"),
        ("Put a space behind every : in a.yml", "sed -i 's/:/: /' a.yml"),
        ("Indent every - in a.yml by two spaces", "sed -i 's/-/  -/' a.yml"),
    ],
)
def test_what_the_request_asks_for_is_not_taken_out_of_a_command(context, request_, body):
    context.ledger.task = request_
    assert infer_path(Call("bash", body), context).body == body


@pytest.mark.parametrize(
    ("request_", "body", "meant"),
    [
        ("delete what ends in ~", 'find . -name "*.~" -delete', 'find . -name "*~" -delete'),
        ("delete what ends in .~", 'find . -name "*.~" -delete', 'find . -name "*.~" -delete'),
        ("delete what ends in txt", "find . -name '*.txt'", "find . -name '*.txt'"),
        (
            'Insert "# MIT" as the first line of all',
            "sed -i '1s/^/# MIT/' *.py",
            "sed -i '1s/^/# MIT\\n/' *.py",
        ),
        ('Insert "# MIT" as the first line', "sed -i '1s/^/# MIT\\n/' a.py", "sed -i '1s/^/# MIT\\n/' a.py"),
        ("Put # before the first line", "sed -i '1s/^/# /' a.py", "sed -i '1s/^/# /' a.py"),
        ("Add it as the first line", "sed -i 's/^/# /' a.py", "sed -i 's/^/# /' a.py"),
    ],
)
def test_a_line_before_the_first_is_a_line_and_a_sign_no_ending(context, request_, body, meant):
    context.ledger.task = request_
    assert infer_path(Call("bash", body), context).body == meant


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("sed -i '/ Gina@ferry.example/d' list.txt", "sed -i '/gina@ferry.example/d' list.txt"),
        ("sed -i 's/Gina@ferry.example/x/' list.txt", "sed -i 's/gina@ferry.example/x/' list.txt"),
        ("sed -i '/gina@ferry.example/d' list.txt", "sed -i '/gina@ferry.example/d' list.txt"),
        ("sed -i '/Ben/d' list.txt", "sed -i '/Ben/d' list.txt"),
        ("sed -i '/Gina@ferry.example/d' other.txt", "sed -i '/Gina@ferry.example/d' other.txt"),
        ("sed -i '/^Gina@ferry.example$/d' list.txt", "sed -i '/^Gina@ferry.example$/d' list.txt"),
    ],
)
def test_sed_looks_for_a_text_as_the_request_and_the_file_have_it(context, body, meant):
    put(context, "list.txt", "ben@ferry.example\ngina@ferry.example\n")
    context.ledger.task = "Take gina@ferry.example off the list in list.txt."
    assert infer_path(Call("bash", body), context).body == meant


@pytest.mark.parametrize(
    ("call", "tool"),
    [
        (Call("python", "const a = 1;\nconsole.log(a)", "a.js"), "javascript"),
        (Call("python", "print(1)", "a.js"), "python"),
        (Call("python", "const a = 1;", "a.txt"), "python"),
        (Call("javascript", "x = 1", "a.py"), "javascript"),
    ],
)
def test_a_program_under_the_tag_of_another_language_is_what_its_name_says(context, call, tool):
    assert infer_path(call, context).tool == tool


def test_a_script_that_says_how_it_is_started_is_the_file_that_was_asked_for(context):
    put(context, "note.sh", "#!/bin/bash\n# bash note.sh pay rent\necho $* > notes.txt\n")
    attachments.attach_named_files("fix note.sh", context)
    body = "#!/bin/bash\n# bash note.sh pay rent\necho $* >> notes.txt\n"
    assert infer_path(Call("bash", body), context).path == "note.sh"
    assert infer_path(Call("bash", "bash note.sh pay rent"), context).path is None


@pytest.mark.parametrize(
    ("task", "script", "meant"),
    [
        ("Replace Ann with Eve", "sed -i 's/Ann/ Eve/g' a.txt", "sed -i 's/Ann/Eve/g' a.txt"),
        ("Replace Ann with Eve", "sed -i 's/Ann/Eve /' *.txt", "sed -i 's/Ann/Eve/' *.txt"),
        ("Replace Ann with Eve", "sed -i 's/Ann / Eve/g' a.txt", "sed -i 's/Ann / Eve/g' a.txt"),
        ("Replace Ann with ' Eve'", "sed -i 's/Ann/ Eve/g' a.txt", "sed -i 's/Ann/ Eve/g' a.txt"),
        ("Put a blank after each comma", "sed -i 's/,/, /g' a.txt", "sed -i 's/,/, /g' a.txt"),
    ],
)
def test_a_text_is_written_without_a_blank_that_nobody_asked_for(context, task, script, meant):
    context.ledger.begin_turn(task)
    assert infer_path(Call("bash", script), context).body == meant

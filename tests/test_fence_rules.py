"""Each rule of reading that the recorded answers do not show, a case a row."""

# ruff: noqa: RUF001 - full-width signs are what Chinese models write

from __future__ import annotations

from functools import reduce

import pytest

from tripletick.dialects.fence import hallucinations, parse_reply
from tripletick.dialects.fence.lines import track_open_fence

OWNED = ("bash", "python", "write", "read", "edit", "file_finder", "markdown")


def _seen(answer, owned=OWNED, finish="stop"):
    reading = parse_reply(answer, owned, finish)
    return [(call.tool, call.path, call.body) for call in reading.calls], [p.code for p in reading.problems]


INFO = [
    ("python3.11", "python", None, ()),
    ("{.python file=x.py}", "python", "x.py", ()),
    ("{python}", "python", None, ()),
    ('{.python .numberLines path="a/b.py"}', "python", "a/b.py", ()),
    ("python : a.py", "python", "a.py", ()),
    ("python：路径.py", "python", "路径.py", ()),
    ("python:my script.py", "python", "my script.py", ()),
    ("python:数据/脚本 一.py", "python", "数据/脚本 一.py", ()),
    ("python:data/a.py b.py", "python", "data/a.py", ("b.py",)),
    ("bash:bin/run timeout=5", "bash", "bin/run", ("timeout=5",)),
    ("python my.py (new file)", "python", "my.py", ()),
    ("write:notes.txt append", "write", "notes.txt", ("append",)),
    ("append:notes.txt", "append", "notes.txt", ()),
    ("json:data.json", "json", "data.json", ()),
    ("write:Dockerfile", "write", "Dockerfile", ()),
    ("bash timeout=600", "bash", None, ("timeout=600",)),
    ("edit:a.py all", "edit", "a.py", ("all",)),
    ("src/app.py", "python", "src/app.py", ()),
    ('"my app.py"', "python", "my app.py", ()),
    ("python main.py", "python", "main.py", ()),
    ("file=main.py", "python", "main.py", ()),
    ('python title="Hello World"', "python", None, ('title="Hello World"',)),
    ("python src='a b.py'", "python", "a b.py", ()),
    ("bash:../up", "bash", "../up", ()),
    ("python:scripts/", "python", "scripts/", ()),
    ("foo:bar.xyz", "foo", "bar.xyz", ()),
    ("text:a.txt", "text", "a.txt", ()),
    (".gitignore", "gitignore", ".gitignore", ()),
    ("file_finder:info", "file_finder", None, ("info",)),
]


@pytest.mark.parametrize(("info", "tag", "path", "args"), INFO)
def test_an_info_string_gives_tag_path_and_arguments(info, tag, path, args):
    call = parse_reply(f"```{info}\nx = 1\n```", OWNED).calls[0]
    assert (call.tool, call.path, call.args, call.timid) == (tag, path, args, False)


@pytest.mark.parametrize("info", ["diff src/app.py", "diff:src/app.py", "Dockerfile", "node.js", "pythonic"])
def test_what_would_save_the_wrong_thing_is_no_call(info):
    assert parse_reply(f"```{info}\nx = 1\n```", OWNED).calls == ()


def test_a_server_s_tool_is_an_argument_and_no_path():
    call = parse_reply('```mcp:files.search\n{"a": 1}\n```', ("mcp",)).calls[0]
    assert (call.path, call.args) == (None, ("files.search",))


def test_a_path_in_a_first_comment_is_timid():
    call = parse_reply("```yaml\n# ci.yml\na: 1\n```", ("yaml",)).calls[0]
    assert (call.path, call.timid, call.body) == ("ci.yml", True, "# ci.yml\na: 1")


PYTHON_FENCE = "x = '''\n```bash\nls\n```\n'''"
RUN = [
    ("- ```bash\n  uname\n  ```\n1) ```bash\n   ls\n   ```", ["uname", "ls"]),
    ("```bash\necho 'a\n```bash\nx\n```\n'\n```", ["echo 'a\n```bash\nx\n```\n'"]),
    (
        "```bash\ngit commit -m \"$(cat <<'EOF'\nit's\n```\nc\n```\nEOF\n)\"\n```\nok",
        ["git commit -m \"$(cat <<'EOF'\nit's\n```\nc\n```\nEOF\n)\""],
    ),
    ("```bash\necho $((1<<2)) # it's\necho $'it\\'s'\n```", ["echo $((1<<2)) # it's\necho $'it\\'s'"]),
    (f"```write:gen.py\n{PYTHON_FENCE}\n```", [PYTHON_FENCE]),
    ("```python\nprint(1)```\nThat's it.", ["print(1)"]),
    ("```bash\nls\n```This lists files\n```bash\npwd\n```", ["ls", "pwd"]),
    ("```bash\nls\n``` then ```bash\npwd\n```", ["ls", "pwd"]),
    ("```bash\nls\n```<think>hm</think>\n```bash\npwd\n```", ["ls", "pwd"]),
    ("```json\n{\n\nThen:\n```bash\nls\n```", ["ls"]),
    ("```foo\nbar\n```bash\nls\n```", ["ls"]),
    ("````bash\nls\n```\nx\n````", ["ls\n```\nx"]),
    ("~~~bash\nls\n```\n~~~", ["ls\n```"]),
    ("```bash\nls\n    ```\n```", ["ls\n    ```"]),
    ("```markdown:a.md\n# A\n\n```\nmake\n```\n\nend\n```", ["# A\n\n```\nmake\n```\n\nend"]),
    ("````markdown:a.md\n```\n````", ["```"]),
    ("```text\nfoo\n```\n```bash\nls\n```\n```\nbar\n```", ["ls"]),
    ("```bash\n$ cat > a <<EOF\nhi\nEOF\n$ ls \\\n  -l\n```", ["cat > a <<EOF\nhi\nEOF\nls \\\n  -l"]),
    ("```bash\n# one\n$ ls\n\n$ pwd\n```", ["# one\nls\n\npwd"]),
    ("```python:pkg/__init__.py\n```", [""]),
    ("```read:notes.txt\n```", ["notes.txt"]),
    ("```read:notes.txt:3-5\n```", ["notes.txt:3-5"]),
    ("```read:notes.txt:3-\n```", ["notes.txt:3-"]),
    ("\ufeff```bash\r\nls\r\n```\r\n", ["ls"]),
    ("```python\nx = '&lt;'\n```", ["x = '&lt;'"]),
    ("```bash\na & b '&lt;'\n```", ["a & b '&lt;'"]),
    ("use the <|im_end|> token\n```bash\nls\n```", ["ls"]),
    ("```bash\nls\n```\nExpected output:\na\n\n```bash\npwd\n```", ["ls", "pwd"]),
    ("[THINK]a\n```bash\nrm\n```\n[/THINK]```bash\nls\n```", ["ls"]),
    ("<think>\n```bash\nrm\n```\n</thinking>\n```bash\nls\n```", ["ls"]),
    ("◁think▷x◁/think▷\n```bash\nls\n```", ["ls"]),
    ("Here: ```python\nprint(1)\n```", ["print(1)"]),
    ("```edit:a.py\n<<<<<<< SEARCH\nx = '''\n=======\n>>>>>>> REPLACE\n```", None),
]


@pytest.mark.parametrize(("answer", "bodies"), RUN)
def test_a_block_with_its_own_closing_fence_is_a_call(answer, bodies):
    calls, problems = _seen(answer)
    assert problems == []
    assert bodies is None or [body for _, _, body in calls] == bodies


REFUSED = [
    ("```bash\ncat <<EOF\nhi\n```\nDone", "unfinished-literal"),
    ("```bash\necho 'a\n```\nthen\n```bash\necho 'b\n```", "unfinished-literal"),
    ("```bash\necho it's\n```\n\n```\nit's\n```", "unfinished-literal"),
    ("```python\nprint('```')\n", "unclosed"),
    ("```python\nx = '''abc```", "unclosed"),
    ("```bash\nls\n```bash\npwd\n```", "unclosed"),
    ("```bash\nls\n```ls``` shows\n```", "unclosed"),
    ("```bash\n$ ls\na.txt\n```", "transcript"),
    ("```python\n>>> 1+1\n2\n```", "transcript"),
    ("```bash\n\n```", "empty"),
    ("```python\n<your code>\n...\n```", "placeholder"),
    ("```bash ls -la\n```", "inline"),
    ("Use ```bash ls -la``` now", "inline"),
    ("> ```bash\n> ls\n> ```", "quoted"),
    ("'''python\nprint(1)\n'''", "wrong-fence"),
    ("```\nls\n```", "untagged"),
    ('{"name": "bash", "arguments": {"command": "ls"}}', "foreign-call"),
    ("<tool_call>\nx\n</tool_call>", "foreign-call"),
    ("<think>```bash\nls\n```", "unclosed-think"),
    ("<|channel|>commentary to=functions.bash<|message|>{}<|call|>", "foreign-call"),
    ("```markdown:a.md\n# A\n```\nb\n```", "ambiguous-nesting"),
]


@pytest.mark.parametrize(("answer", "code"), REFUSED)
def test_what_is_doubtful_is_refused_and_told(answer, code):
    assert _seen(answer) == ([], [code])


def test_an_apostrophe_that_ends_a_quote_is_spoken_of():
    how = " (a text that has a ' goes between \")"
    for body, said in (("sed 's/a/Kim's tea/' a.txt", how), ("echo 'a", "")):
        [problem] = parse_reply(f"```bash\n{body}\n```", ("bash",)).problems
        assert problem.text.startswith(f"The quote opened on line 1{said} is not closed inside the block")


def test_a_tag_on_the_line_below_its_fence_is_said_to_belong_behind_it():
    for line, said in (
        ("python:a.py", "belongs behind"),
        ("python:", "belongs behind"),
        ("cache: 5", "can use"),
    ):
        [problem] = parse_reply(f"```\n{line}\nprint(1)\n```", ("python", "bash")).problems
        assert problem.code == "untagged" and said in problem.text


PLAYED = [
    "Output:",
    "**Output:** 3",
    "### Output",
    "Execution result: 3",
    "Observation: a",
    "[success]",
    "[result 1: bash ok]",
    "Sortie :",
    "**Résultat :** 3",
    "Salida:",
    "Resultado:",
    "Ausgabe:",
    "Ergebnis: 3",
    "Вывод:",
    "出力：",
    "実行結果：",
    "输出：",
    "执行结果：3",
    "출력:",
    "<tool_response>",
    "Resultat :",
    "ÇIKTI:",
    "```output",
    "```bash output",
    "```sortie",
    "```Résultat",
    "```sortie du programme",
    "```Ausgabe",
    "```Programmausgabe",
    "```Ergebnis",
    "```salida",
    "```resultado",
    "```saída",
    "```saida",
    "```uscita",
    "```uitvoer",
    "```wynik",
    "```výstup",
    "```вывод",
    "```результат выполнения",
    "```вивід",
    "```çıktı",
    "```输出",
    "```运行结果",
    "```輸出",
    "```出力",
    "```実行結果",
    "```출력",
    "```kết quả",
    "```الناتج",
    "```परिणाम",
    "```פלט",
    "~~~Sortie :",
]


@pytest.mark.parametrize("line", PLAYED)
def test_a_line_that_plays_the_tool_ends_the_list_and_the_history(line):
    reading = parse_reply(f"Go.\n```bash\nls\n```\n{line}\nx\n```bash\nrm x\n```", OWNED)
    assert [call.body for call in reading.calls] == ["ls"]
    assert [problem.code for problem in reading.problems] == ["invented-result"]
    assert reading.text == "Go.\n```bash\nls\n```"


@pytest.mark.parametrize(
    "line",
    [
        "Expected output:",
        "预期输出：",
        "Sortie attendue :",
        "The output: a",
        "Outputs are",
        "Salida de ejemplo:",
        "```sortie attendue\na\n```",
        "```salida esperada\na\n```",
        "```expected output\na\n```",
        "```text\na\n```",
    ],
)
def test_words_about_results_are_no_results(line):
    assert len(parse_reply(f"```bash\nls\n```\n{line}\n```bash\npwd\n```", OWNED).calls) == 2


@pytest.mark.parametrize("tag", ["cmd", "bat", "dos", "batch", "powershell", "pwsh", "ps1", "PS1", "cmd.exe"])
def test_a_block_for_another_shell_is_not_run_as_bash(tag):
    assert _seen(f"```{tag}\ndel a.txt\n```") == ([], ["unowned"])


@pytest.mark.parametrize("tag", ["console", "shell-session", "sh_session", "terminal", "bash"])
@pytest.mark.parametrize("prompt", ["PS C:\\Users\\me>", "PS>", "C:\\>", "d:\\work>"])
def test_a_prompt_of_another_shell_is_a_transcript(tag, prompt):
    told = parse_reply(f"```{tag}\n{prompt} dir\n```", OWNED)
    assert (told.calls, told.problems[0].code) == ((), "transcript")
    assert "another shell" in told.problems[0].text


def test_a_readme_that_has_no_end_of_its_own_is_asked_for_between_longer_fences():
    told = parse_reply("```markdown:README.md\n# A\n```bash\nmake\n```\nEnd.\n", OWNED).problems[0]
    assert (told.code, "````markdown:README.md" in told.text) == ("unclosed", True)


WHOLE = [
    *(answer for answer, _ in (*RUN, *REFUSED)),
    *(f"```bash\nls\n```\n{line}\nx\n```\n```bash\nrm x\n```" for line in PLAYED),
]


@pytest.mark.parametrize("answer", WHOLE)
def test_wherever_an_answer_is_cut_it_gives_no_block_that_the_whole_does_not_hold(answer):
    whole, _ = _seen(answer)
    for at in range(len(answer)):
        assert all(block in whole for block in _seen(answer[:at], finish="length")[0]), at


@pytest.mark.parametrize(
    "token", ["<|im_end|>", "<|eot_id|>", "</s>", "<|im_start|>user", "### Human: no", "[INST] x"]
)
def test_a_leaked_turn_ends_the_answer(token):
    reading = parse_reply(f"```bash\nls\n```\n{token}\n```bash\nrm x\n```", OWNED)
    assert [call.body for call in reading.calls] == ["ls"]
    assert [problem.code for problem in reading.problems] == ["leaked-turn"]


def test_an_exact_repeat_and_the_prompt_s_example_are_not_run():
    reading = parse_reply(
        "```bash\nls\n```\n```bash\nls\n```\n```bash\npwd\n```", ("bash",), prompt_examples=("pwd\n",)
    )
    assert [call.body for call in reading.calls] == ["ls"]
    assert [problem.code for problem in reading.problems] == ["repeat", "prompt-example"]


def test_the_first_malformed_block_ends_the_list():
    calls, problems = _seen("```bash\nls\n```\n```bash\n$ a\nb\n```\n```bash\npwd\n```")
    assert ([body for _, _, body in calls], problems) == (["ls"], ["transcript"])


def test_a_cut_answer_closes_nothing_with_its_last_line():
    assert _seen("```bash\nls\n```", finish="length") == ([], ["unclosed"])
    assert _seen("```bash\nls\n```\n", finish="length")[1] == []


def test_in_a_cut_answer_a_closing_tag_in_mid_sentence_ends_no_reasoning():
    answer = "<think>\nup to </think> it goes\n```bash\nrm x\n```\nend"
    assert (_seen(answer, finish="length"), len(_seen(answer)[0])) == (([], ["unclosed-think"]), 1)


def test_a_tag_that_is_owned_goes_before_its_meaning_as_another_word():
    assert _seen("```sh\nls\n```", ("bash", "sh")) == ([("sh", None, "ls")], [])


def test_a_cut_answer_saves_no_document_of_three_backticks():
    assert _seen("```markdown:a.md\nx\n```\nand", finish="length") == ([], ["unclosed"])
    assert _seen("````markdown:a.md\nx\n````\nand", finish="length")[1] == []


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("REQUEST_CLARIFICATION: Which file?\nA or B?\n```bash\nls\n```\nmore", "Which file?\nA or B?"),
        ("**REQUEST_CLARIFICATION** Which?", "Which?"),
        ("I say REQUEST_CLARIFICATION", None),
        ("<think>\nREQUEST_CLARIFICATION x\n</think>\nok", None),
        ("```text\nREQUEST_CLARIFICATION x\n```", None),
    ],
)
def test_a_question_counts_at_the_beginning_of_a_line_of_text(answer, question):
    assert parse_reply(answer, OWNED).question == question


def test_the_history_is_the_raw_reply_without_reasoning():
    answer = "<think>a</think>\nHi.\n\n```bash\nls\n```\n"
    assert parse_reply(answer, OWNED).text == "Hi.\n\n```bash\nls\n```\n"
    assert parse_reply(answer[17:], OWNED).text == answer[17:]


def test_only_an_agent_that_writes_owns_other_tags_with_a_path():
    assert parse_reply("```css:a.css\nx\n```", ("bash",)).calls == ()
    assert parse_reply("```css:a.css\nx\n```", ("write",)).calls[0].tool == "css"
    assert parse_reply("```css\n/* a.css */\nx\n```", ("write",)).calls == ()


def test_every_word_that_ends_a_turn_has_one_of_the_signs_that_lines_are_told_by():
    turns, speakers = hallucinations.load_words()["turns"], hallucinations.load_words()["speakers"]
    assert all(hallucinations.ODD.search(word) for word in turns)
    assert all(":" in pattern for pattern in speakers)


@pytest.mark.parametrize(
    ("text", "fence"),
    [
        ("```python\nprint(1)", "```"),
        ("   ~~~ a `name`\n```", "~~~"),
        ("````\n```\n~~~~", "````"),
        ("````\n`````  ", ""),
        ("```ls``` lists\n    ```", ""),
        ("```\n```python", "```"),
    ],
)
def test_a_fence_is_open_where_renderers_of_markdown_have_it_so(text, fence):
    assert reduce(track_open_fence, text.split("\n"), "") == fence

"""The body of a block as arguments: one value, lines, an object; what may mean two things is refused."""

import pytest

from tripletick.dialects.fence import parse_reply as read_reply
from tripletick.messages import Call
from tripletick.tools.own.arguments import parse_arguments
from tripletick.tools.own.custom_tool import build_call
from tripletick.tools.parameters import ArgumentsError, Parameter

TEXT, COUNT, SWITCH, OBJECT = ({"type": kind} for kind in ("string", "integer", "boolean", "object"))
LIST = {"type": "array", "items": TEXT}
NONE = {"anyOf": [COUNT, {"type": "null"}]}


def parameters(**schemas):
    """Give parameters; a name that ends in _ need not be given."""
    rows = ((name.rstrip("_"), schema, name[-1] != "_") for name, schema in schemas.items())
    return tuple(Parameter(name, "", schema, required=required) for name, schema, required in rows)


ONE, NUMBER = parameters(text=TEXT), parameters(n=COUNT)
TWO, BOTH = parameters(query=TEXT, limit_=COUNT), parameters(a=TEXT, b=COUNT)
PERHAPS = parameters(unit_={"anyOf": [{"enum": ["metric"]}, {"type": "null"}]}, n_=COUNT)
MIXED = parameters(tags=LIST, on_=SWITCH, n_=NONE, mode_={"enum": ["fast", 2]})


@pytest.mark.parametrize(
    ("takes", "body", "given"),
    [
        (ONE, "hello", {"text": "hello"}),
        (ONE, "  two\nlines ", {"text": "  two\nlines "}),
        (ONE, '{"text": "hi"}', {"text": "hi"}),
        (ONE, '{"other": 1}', {"text": '{"other": 1}'}),
        (ONE, "{print $1}", {"text": "{print $1}"}),
        (ONE, '"quoted"', {"text": '"quoted"'}),
        (ONE, "a == b", {"text": "a == b"}),
        (NUMBER, "3", {"n": 3}),
        (NUMBER, "n = 3", {"n": 3}),
        (parameters(options=OBJECT), '{"a": 1}', {"options": {"a": 1}}),
        (parameters(options=OBJECT), 'options = {"a": 1}', {"options": {"a": 1}}),
        (TWO, "hello you", {"query": "hello you"}),
        (TWO, "query = x = 3\nlimit = 4", {"query": "x = 3", "limit": 4}),
        (TWO, '{"query": "q", "limit": 2}', {"query": "q", "limit": 2}),
        (TWO, 'query = """a\n\nb = 2"""\nlimit = 2', {"query": "a\n\nb = 2", "limit": 2}),
        (TWO, "query = '''\na\n'''", {"query": "a\n"}),
        (BOTH, 'a = "1"\n\nb=2', {"a": "1", "b": 2}),
        (BOTH, "a = 1\nb = 2", {"a": "1", "b": 2}),
        (MIXED, '["a"]', {"tags": ["a"]}),
        (
            MIXED,
            "tags = ['a']\non = No\nn = null\nmode = 2",
            {"tags": ["a"], "on": False, "n": None, "mode": 2},
        ),
        (parameters(a={}), '{"a": 1}', {"a": 1}),
        (parameters(a={}), '{"b": 1}', {"a": {"b": 1}}),
        (PERHAPS, "unit = metric", {"unit": "metric"}),
        (PERHAPS, "unit = null\nn = 2", {"unit": None, "n": 2}),
        ((), "", {}),
        ((), "{}", {}),
        (parameters(a_=TEXT, b_=TEXT), "", {}),
    ],
)
def test_a_block_is_read_as_what_it_can_only_mean(takes, body, given):
    assert parse_arguments(Call("t", body), takes) == given


@pytest.mark.parametrize(
    ("takes", "body", "why"),
    [
        (ONE, "text = hello", "may be the value itself or name it"),
        (ONE, "text: hello", "may be the value itself or name it"),
        (ONE, '{"text": "a', "begins like JSON and is none"),
        (ONE, "", "`text` is missing"),
        (parameters(options=OBJECT), '{"options": {"a": 1}}', "may be the value itself or name it"),
        (NUMBER, "many", "`n` must be a whole number, not many"),
        (NUMBER, "3.5", "must be a whole number"),
        (NUMBER, "true", "must be a whole number"),
        (NUMBER, "n = 3\nn = 4", "`n` was given twice"),
        (TWO, "limit = 4", "`query` is missing"),
        (TWO, "query: x", "write `query = …`"),
        (TWO, "colour = red", "it has no `colour`"),
        (TWO, '{"query": "q", "odd": 2}', "it has no `odd`"),
        (TWO, 'query = """a\nb', '""" of `query` are not closed'),
        (BOTH, "hello", "it takes several arguments"),
        (BOTH, "a = x\nmore\nb = 2", "line 2 of the block is no `name = value`"),
        (BOTH, "a = x\nb = two", "`b` must be a whole number, not two"),
        (MIXED, "a\nb", "`tags` must be a list in brackets, as JSON, not a b"),
        (MIXED, "tags = []\non = perhaps", "`on` must be true or false"),
        (MIXED, "tags = []\nmode = slow", "`mode` must be fast or 2, not slow"),
        (PERHAPS, "unit = odd", "`unit` must be metric or null, not odd"),
        ((), "hello", "it has no `hello`"),
        (parameters(a_=TEXT, b_=TEXT), "hello", "it takes several arguments"),
    ],
)
def test_what_may_mean_two_things_or_none_is_refused(takes, body, why):
    with pytest.raises(ArgumentsError) as caught:
        parse_arguments(Call("t", body), takes)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_text_in_quotes_that_python_would_warn_of_is_read_in_silence():
    assert parse_arguments(Call("t", "query = '\\d+'\nlimit = 3"), TWO) == {"query": "\\d+", "limit": 3}


@pytest.mark.parametrize("call", [Call("t", "hello", "notes.txt"), Call("t", "hello", None, ("all",))])
def test_nothing_stands_behind_the_tag_but_a_time_limit(call):
    with pytest.raises(ArgumentsError, match="nothing behind its tag"):
        parse_arguments(call, ONE)
    assert parse_arguments(Call("t", "hello", None, ("timeout=5",)), ONE) == {"text": "hello"}


@pytest.mark.parametrize(
    ("takes", "given"),
    [
        (ONE, {"text": "text = hello"}),
        (ONE, {"text": '{"text": 1}'}),
        (parameters(options=OBJECT), {"options": {"a": 1}}),
        (TWO, {"query": '"""', "limit": 3}),
        (parameters(a={}), {"a": 1}),
        (parameters(a={}), {"a": "3"}),
        (parameters(a={}), {"a": {"a": 2}}),
        (parameters(a={"anyOf": [TEXT, OBJECT]}), {"a": "hello"}),
        ((), {}),
    ],
)
def test_arguments_of_other_dialects_are_read_as_they_were_given(takes, given):
    assert parse_arguments(build_call("t", takes, given), takes) == given


@pytest.mark.parametrize(("tag", "calls"), [("now", 1), ("bash", 0), ("read", 0), ("json:a.json", 0)])
def test_only_the_block_of_a_function_may_be_empty(tag, calls):
    reading = read_reply(f"```{tag}\n```\n", ["bash", "read", "write", "now"])
    assert len(reading.calls) == calls

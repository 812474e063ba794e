"""Plays families through the product's own loop: every block really runs in the box, every byte is its own.

A stage has one folder and one box for many conversations. What becomes of the model's words in `Loop` is the
product's; the choice of the agent is the family's. The wording is the one that the product has for the
stage's model.
"""

from __future__ import annotations

import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from training import forms
from training.script import Ask, Line, Reply, ReplyResult, Script, UserAnswer
from tripletick.agents.definitions import Agent
from tripletick.config.config import load_config
from tripletick.events import Ask as Asked
from tripletick.events import Event, GaveUp, Returned
from tripletick.messages import Answer, Chunk, Message, Result
from tripletick.models import catalog
from tripletick.models.conversation import Conversation, TokenBudget
from tripletick.models.model import ModelInfo, Sampling
from tripletick.models.scripted import ScriptedModel, ScriptedReply
from tripletick.paths import Workspace
from tripletick.session import builder, request_text
from tripletick.system import dirs
from tripletick.tools.tool import FileTracker
from tripletick.turn.loop import Loop

EMBEDDED = "embedded:"
MODEL = f"{EMBEDDED}{catalog.OFFLINE}"
WINDOW, WIDER = 4096, 8192
"""The context of a model that has a wording of its own, and of any other."""
WHOLE = 1 << 20
NOTHING_SAID = Reply("")
QUESTION = "REQUEST_CLARIFICATION"
RELIEF = ("file", "coder")


class OffScriptError(Exception):
    """The conversation went otherwise than the family meant; it is no example for anybody."""


@dataclass(frozen=True, slots=True)
class SentMessage:
    """One message as it was sent, and whether it is learnt."""

    role: str
    text: str
    taught: bool


class StageModel(ScriptedModel):
    """Says what the stage has for it, whole."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(size=WHOLE, name="stage")
        self._stage = stage

    def stream(self, messages: Sequence[Message], sampling: Sampling) -> Generator[Chunk, None, None]:
        self.asked.clear()
        self.samplings.clear()
        self.replies.append(ScriptedReply(self._stage.get_reply()))
        yield from super().stream(messages, sampling)


@dataclass
class Stage:
    """A folder with a box; `play` gives one conversation."""

    root: Path
    state: Path
    named: bool = False
    """Whether requests to the offline model end with the names of the folder's files; others always get
    what the product sends along.
    """
    model: str = MODEL
    _taught: list[bool] = field(default_factory=list)
    _results: list[Result] = field(default_factory=list)
    _reply: Reply = NOTHING_SAID
    _script: Script | None = None

    def __post_init__(self) -> None:
        found = dirs.find_dirs()
        found = found._replace(state=self.state)
        config = load_config([found.shipped_config], {}, {"model.name": self.model})
        self.trained = builder.is_trained(config)
        self.window = WINDOW if self.trained else WIDER
        self.root.mkdir(parents=True, exist_ok=True)
        self.prompts = builder.load_prompts(config, found)
        self.box = builder.open_workspace_box(config, found, self.root)
        self.workspace = Workspace(self.root)
        made = builder.LoopBuilder(
            config, found, self.workspace, StageModel(self), self.box, self.prompts, person=True, yes=True
        )
        self._made = replace(made, about=self._describe_model()).build_loop("stage", self.window)

    def play(self, scripts: Iterator[Script]) -> list[SentMessage]:
        """Play families one after the other in one conversation. Raises OffScriptError."""
        self._empty_folder()
        self._taught.clear()
        conversation = self._made.replies.conversation
        begun = replace(conversation, entries=[], introduced=set(), answers=[])
        loop = self._build_loop(begun)
        for script in scripts:
            self._script = script
            line: Line | None = next(script)
            while line is not None:
                if not isinstance(line, Ask):
                    raise OffScriptError(f"a reply where a request was due: {line}")
                line = self._play_request(loop, line)
        return list(self._build_messages(loop.conversation.build_messages()))

    def close(self) -> None:
        self.box.close()

    def get_reply(self) -> str:
        """Give what the model says next."""
        self._check_results()
        line = self._advance()
        self._reply = line if isinstance(line, Reply) else Reply(line if isinstance(line, str) else "")
        if not self._reply.text:
            raise OffScriptError(f"no reply where one was due, but {line}")
        self._results.clear()
        self._taught.append(self._reply.taught)
        return self._reply.text if self.trained else forms.convert_reply(self._reply.text, self.root)

    def _play_request(self, loop: Loop, ask: Ask) -> Line | None:
        agent = self.prompts.agents[ask.agent]
        loop.begin_request(ask.text)
        files = self._list_files(loop, agent, ask.text)
        self._results.clear()
        self._reply = NOTHING_SAID
        relief = [self.prompts.agents[name] for name in RELIEF]
        self._run_turn(loop.run_turn(agent, ask.text, files=files, relief=relief))
        return self._advance()

    def _list_files(self, loop: Loop, agent: Agent, request: str) -> str:
        """Give what goes along with a request."""
        if not self.trained:
            return request_text.format_files(loop, agent, request, folder_line=True)
        wanted = self.named and agent.tools and not request_text.has_folder_line(loop.conversation)
        return request_text.format_folder_line(self.workspace, loop.conversation.templates) if wanted else ""

    def _describe_model(self) -> ModelInfo | None:
        """Say of the model what its engine would: its size sets how it is spoken to."""
        if self.trained:
            return None
        name = self.model.removeprefix(EMBEDDED)
        return ModelInfo(name, "embedded", parameters=catalog.get_entry(name).parameters)

    def _run_turn(self, turn: Generator[Event, Answer | None, None]) -> None:
        answer: Answer | None = None
        with suppress(StopIteration):
            while True:
                event = turn.send(answer)
                answer = self._answer_question() if isinstance(event, Asked) else None
                if isinstance(event, Returned):
                    self._results.append(event.result)
                if isinstance(event, GaveUp):
                    raise OffScriptError(f"the turn was given up: {event.reason}")

    def _answer_question(self) -> Answer:
        """Answer a question of the model's as the family says; any other is a yes."""
        if QUESTION not in self._reply.text:
            return Answer("y")
        told = self._advance()
        if not isinstance(told, UserAnswer):
            raise OffScriptError(f"no answer to {self._reply.text}")
        return Answer("", told.text)

    def _advance(self) -> Line | None:
        """Go on in the family's script; None where it has ended."""
        assert self._script is not None
        try:
            return self._script.send(ReplyResult(tuple(self._results)))
        except StopIteration:
            return None

    def _check_results(self) -> None:
        """See that the blocks of the last reply ended as they should."""
        ok, ends = all(result.ok for result in self._results), self._reply.ends
        if self._results and ends != "either" and ok != (ends == "well"):
            told = "\n".join(f"{result.verdict} {result.text}" for result in self._results)
            raise OffScriptError(f"{self._reply.text}\nended otherwise: {told}")

    def _build_messages(self, messages: Sequence[Message]) -> Iterator[SentMessage]:
        taught, shown = iter(self._taught), 1 + len(self._made.replies.conversation.example)
        learnt = [at >= shown and one.role == "assistant" and next(taught) for at, one in enumerate(messages)]
        stay = [True] * len(messages) if self.trained else forms.drop_looks(messages, learnt)
        for message, mine, stays in zip(messages, learnt, stay, strict=True):
            if stays:
                yield SentMessage(message.role, message.text, mine)

    def _build_loop(self, conversation: Conversation) -> Loop:
        made = self._made
        replies = replace(made.replies, conversation=conversation, budget=TokenBudget(self.window))
        return replace(made, replies=replies, context=replace(made.context, ledger=FileTracker()))

    def _empty_folder(self) -> None:
        for path in self.root.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()

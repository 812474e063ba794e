"""One turn: ask the model, run its blocks, tell it what came of them, until it answers in words.

A turn is a generator of events. It prints nothing, asks nobody and opens no terminal: an `Answer` to an
`Ask` is sent in, KeyboardInterrupt is thrown in. Closing it stops whatever runs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tripletick.agents.definitions import Agent
from tripletick.checkpoint import Checkpoints
from tripletick.errors import TripletickError
from tripletick.events import (
    Answered,
    Ask,
    Called,
    Changed,
    Doubted,
    Event,
    GaveUp,
    HandedOver,
    Interrupted,
    Notice,
    Refused,
    Repairing,
    Reply,
    Returned,
)
from tripletick.hooks import Hooks
from tripletick.messages import INTERRUPTED as EXIT
from tripletick.messages import Call, Receipt, Result
from tripletick.models.conversation import Conversation
from tripletick.permission import PendingBlock, PermissionGate
from tripletick.sandbox.box import OutputEnds
from tripletick.tools import output, shell
from tripletick.tools.path_inference import infer_path
from tripletick.tools.tool import Tool, ToolContext
from tripletick.turn import attachments, claims, effects, endings, false_content, feedback, losses, receipts
from tripletick.turn.attempts import Attempts
from tripletick.turn.execution import NO_LOCKS, BlockLocks, run_block, run_timed
from tripletick.turn.handover import Handover, RemainingRequest
from tripletick.turn.reply import INTERRUPTED, ReceivedReply, ReplySource, cut_blocks
from tripletick.turn.reply_meaning import read_as_file, show_programs, take_shown_block
from tripletick.turn.request_kinds import note_request
from tripletick.turn.restart import keep_progress, restart_turn

CUT_ANSWER = "The answer was cut off at the length limit; `[model] output` sets it."
NOT_RUN = "Not run; @{name} can run it."

Turn = Generator[Event, Reply, None]
Admit = Callable[[Agent], Generator[Event, Reply, "Loop"]]
"""Lets an agent in; the loop that goes on may have another folder and box, if the user says so."""
Ending = Answered | GaveUp | None
RERUNS = 2
"""Failures of what a request says fails, after which an answer is taken, and doubted."""
NOT_CHECKED = "The check was not run: {verdict}."


@dataclass(frozen=True, slots=True)
class Loop:
    """What every turn of a session works with."""

    replies: ReplySource
    tools: Mapping[str, Tool]
    context: ToolContext
    checkpoints: Checkpoints
    max_attempts: int = 5
    max_steps: int = 25
    person: bool = False
    gate: PermissionGate = field(default_factory=PermissionGate)
    """What every block passes."""
    hooks: Hooks = field(default_factory=Hooks)
    locks: BlockLocks = NO_LOCKS
    rest: RemainingRequest | None = None
    """What another agent does of the request once the first one has answered."""
    check: str = ""
    """A command that must succeed before what was to be done is done."""

    @property
    def conversation(self) -> Conversation:
        return self.replies.conversation

    def begin_request(self, request: str) -> None:
        """Take back what held for the request before."""
        if self.conversation.take_shortened():
            self.forget_files()
        self.context.outside.begin_request(request)
        self.context.ledger.begin_request()
        self.gate.begin_turn()

    def close(self) -> None:
        """Give back what the engine holds."""
        self.replies.close()

    def forget_files(self, paths: Iterable[str] | None = None) -> None:
        """The model no longer knows these files as they are, or any."""
        self.context.ledger.forget_files(paths)

    def run_turn(
        self,
        agent: Agent,
        request: str,
        *,
        files: str = "",
        relief: Sequence[Agent] = (),
        admit: Admit | None = None,
    ) -> Turn:
        """Work on one request until it is answered, or one of the endings of `repair` is due.

        `relief`: who may take over, as `admit` lets them; nobody where the user chose the agent.
        """
        suggest = partial(feedback.suggest_paths, self.conversation, self.context)
        tries = Attempts(
            self.max_attempts,
            self.max_steps,
            alone=not self.person,
            trial=self.context.trial,
            suggest=suggest,
        )
        shift = Handover(agent, relief, self.replies.languages, self.rest)
        ledger, conversation = self.context.ledger, self.conversation
        ledger.begin_turn(request)
        self.checkpoints.begin_turn(self.context.session, request)
        ending = attachments.choose_ending(request, ledger, conversation.templates)
        note_request(ledger, conversation.templates, request, ending)
        conversation.add_request(agent, request, files=files, ending=ending)
        loop, end = self, None
        try:
            while end is None:
                if clause := shift.take_clause():
                    loop = yield from loop._hand_over(shift.agent, "", admit)
                    loop._ask_rest(shift.agent, clause)
                tags, heat = shift.list_handover_tags(), tries.temperature_boost
                hearing = loop.replies.request_reply(shift.agent, tags, heat=heat, number=tries.failures)
                heard = yield from loop.hooks.hold_back_text(hearing)
                if call := shift.switch_agent(heard.reading.calls):
                    loop = yield from loop._hand_over(shift.agent, call.tool, admit)
                end = (yield from loop._process_reply(shift, tries, heard)) or endings.find_ending(tries)
                if isinstance(end, GaveUp) and (better := tries.find_better_program()):
                    yield from loop.run_blocks(replace(shift.agent, tools=("write",)), [better], typed=True)
                if isinstance(end, GaveUp) and endings.should_ask_findings(tries, end):
                    end = yield from loop._request_last_words(shift, end)
                if end is None and tries.needs_restart and not (ledger.corrected and tries.can_mend):
                    yield from restart_turn(conversation, ledger, loop.checkpoints, shift, tries)
            if notice := loop.checkpoints.end_turn():
                yield Notice(notice)
            receipt = loop._make_receipt(shift, tries, end)
            yield endings.complete_ending(shift.with_earlier_answers(end), loop.checkpoints.changed, receipt)
        except KeyboardInterrupt:
            yield from loop.finish_stopped_block()
            yield Interrupted(conversation.entries[-1].message.text)
        finally:
            loop.checkpoints.end_turn()

    def _hand_over(self, agent: Agent, tag: str, admit: Admit | None) -> Generator[Event, Reply, Loop]:
        """Let another agent in, whose tag a call has; "": the first one has answered."""
        yield HandedOver(agent.name, tag)
        loop = (yield from admit(agent)) if admit else self
        if loop.checkpoints is not self.checkpoints:
            self.checkpoints.end_turn()
            loop.checkpoints.begin_turn(self.context.session, self.conversation.asked)
        return loop

    def _ask_rest(self, agent: Agent, clause: str) -> None:
        """Ask for the rest of the request behind the answer to its first part."""
        conversation = self.conversation
        ending = attachments.choose_ending(clause, self.context.ledger, conversation.templates)
        conversation.introduce_agent(agent, conversation.templates.format_request(clause, "", ending))
        conversation.mark_restart()

    def _process_reply(
        self, shift: Handover, tries: Attempts, heard: ReceivedReply
    ) -> Generator[Event, Reply, Ending]:
        """Run what the reply calls and say in the conversation what came of it; an answer ends the turn."""
        conversation, agent = self.conversation, shift.find_acting_agent()
        reading = show_programs(heard.reading, self.context.ledger, self.replies.languages)
        reading = read_as_file(reading, conversation, self.context, tries)
        reading = yield from take_shown_block(reading, tries)
        heard = replace(heard, reading=reading)
        conversation.add_reply(reading.text, reading.sent)
        if shift.new:
            conversation.introduce_agent(shift.agent)
        if shift.ran and not tries.failures and (spoken := shell.extract_echoes(reading.calls)):
            return (
                yield from self.hooks.apply_pre_response(
                    spoken, self.context.outside.format_citations(spoken)
                )
            )
        before = self.checkpoints.block_count
        results = yield from self.run_blocks(agent, reading.calls)
        question, wrong = tries.check_question(reading.question, calls=bool(results))
        problems = (*reading.problems, *wrong)
        told = tries.select_problems(problems, calls=bool(results), owner=bool(agent.tools))
        refused = [Refused(problem) for problem in problems if problem in told or not problem.text]
        if not results and not told and question is None:
            yield from refused
            return (yield from self._finish_with_answer(shift, tries, heard))
        shift.ran = shift.ran or bool(results)
        failed = tries.add_reply(results, told)
        if results or told:
            # before anything else is yielded, where the user may stop the turn
            said, short = feedback.build_feedback(self.replies.dialect, self.tools, tries, results, told)
            changed = effects.describe_effects(
                self.checkpoints, before, results, self.context.workspace, conversation
            )
            closing = feedback.build_closing(conversation, self.context, results, changed, tries)
            conversation.add_results(said, closing, short=short)
            if tries.achieved and self.context.trial.progress and self.checkpoints.changes_since(before):
                keep_progress(conversation, self.context.ledger, self.checkpoints, tries)
        yield from refused
        if question is not None:
            answer = yield Ask(question, "", "The model is asking you.")
            if answer is None or not answer.there:
                return GaveUp("clarification", "The model has a question.", 3, question)
            if not answer.said:
                raise KeyboardInterrupt
            self.context.outside.add_user_words(answer.text)
            conversation.add_answer(question, answer.text)
        if failed:
            yield Repairing(tries.failures, tries.limit, tries.error)
        return None

    def _finish_with_answer(
        self, shift: Handover, tries: Attempts, heard: ReceivedReply
    ) -> Generator[Event, Reply, Ending]:
        """End the turn with an answer; an empty one is asked for once more."""
        if said := heard.reading.answer_text:
            if heard.finish == "length":
                yield Notice(CUT_ANSWER)
            written = [change.path for change in self.checkpoints.changes_since(0) or ()]
            if shift.hand_over_rest(said, written):
                return None
            runner = shift.find_runner()
            if runner and self.replies.shows_code(said, runner):
                yield Notice(NOT_RUN.format(name=runner.name))
            doubt = self._make_receipt(shift, tries, Answered(said)).doubt if self.context.trial.doubt else ()
            asks = doubt and tries.record_doubt()
            if asks and feedback.challenge_answer(self.conversation, self.context, doubt, tries):
                yield Doubted(doubt)
                return None
            if command := self._find_due_check(shift.agent, tries):
                end = yield from self.run_check(shift.agent, tries, command)
                if end or self._find_due_check(shift.agent, tries):
                    return end
            more = receipts.find_unreported_output(self.conversation, tries, said)
            more += self.context.outside.format_citations(said)
            return (yield from self.hooks.apply_pre_response(said, more))
        told, asked = self.context.ledger.only_told, self.conversation.asked
        self.conversation.add_user_message(tries.record_empty_reply(asked, told=told))
        return None

    def _find_due_check(self, agent: Agent, tries: Attempts) -> str:
        """Give the check that an answer must wait for: the user's own, or what the request says fails, once
        a file was changed; that is given up sooner, for nobody has said that it is to succeed.
        """
        if not agent.tools or tries.has_passed_check:
            return ""
        if self.check or not self.context.ledger.check:
            return self.check
        again = tries.failed_checks < RERUNS and self.checkpoints.changes_since(0)
        return self.context.ledger.check if again else ""

    def run_check(
        self, agent: Agent, tries: Attempts, command: str
    ) -> Generator[Event, Reply, GaveUp | None]:
        """Run a check; where it fails the model is told why, where it may not run that is the end."""
        call = Call("bash", command)
        [(_, result)] = yield from self.run_blocks(replace(agent, tools=("bash",)), [call], typed=True)
        tries.record_check(result)
        if result.outcome not in ("ok", "failed"):
            return GaveUp("check", NOT_CHECKED.format(verdict=result.verdict), 3)
        if tries.failed_checks:
            self.context.ledger.mended = False
            if self._find_due_check(agent, tries) and not endings.find_ending(tries):
                self.conversation.add_user_message(feedback.format_failed_check(self.replies, call, result))
            yield Repairing(tries.failed_checks, tries.max_attempts, tries.error)
        return None

    def _make_receipt(self, shift: Handover, tries: Attempts, end: Answered | GaveUp) -> Receipt:
        """Say what the turn has done, and what of it speaks against its answer."""
        changes = self.checkpoints.changes_since(0) if self.checkpoints.block_count else []
        told = replace(receipts.build_receipt(tries.done, changes), check=tries.checked)
        broken = receipts.describe_unmended(self.conversation, self.context.ledger, changes)
        if tries.failed_checks >= RERUNS:
            broken = receipts.STILL.format(command=self.context.ledger.check)
        failed = (broken,) if broken and not self.check else ()
        works = bool(shift.agent.tools)
        read, room = self.checkpoints.read_content, self.context.workspace
        gone = tuple(flaw.text for flaw in effects.find_flaws(changes, read, self.conversation, room))
        facts = feedback.gather_facts(self.conversation, self.context, told, tries, works=works)
        answer = end.text if isinstance(end, Answered) else end.answer
        return replace(told, doubt=claims.find_doubts(answer, replace(facts, gone=gone)) or failed)

    def _request_last_words(self, shift: Handover, end: GaveUp) -> Generator[Event, Reply, GaveUp]:
        """Have the model say what is known before the turn ends; no block of that is read."""
        closing = self.conversation.format_closing("last")
        if not closing or end.answer:
            return end
        self.conversation.add_user_message(closing)
        hearing = self.replies.without_blocks().request_reply(replace(shift.agent, tools=()))
        try:
            heard = yield from self.hooks.hold_back_text(hearing)
        except TripletickError:
            return end
        said = cut_blocks(heard.reading.answer_text)
        # a message without a reply would not be sent again as it was
        self.conversation.add_reply(said or end.reason)
        return replace(end, answer=said)

    def run_blocks(
        self, agent: Agent, calls: Sequence[Call], *, typed: bool = False
    ) -> Generator[Event, Reply, list[tuple[Call, Result]]]:
        """Run the blocks in their order; the first that does not succeed stops the rest.

        `typed`: the user wrote them.
        """
        results, printed = list[tuple[Call, Result]](), OutputEnds(self.context.limits.kept)
        lacks = not typed and self.conversation.templates.lacks_words("deletes", self.conversation.asked)
        changed = self.checkpoints.block_count and self.checkpoints.changes_since(0)
        stop, keeps = "", bool(lacks and (changed or self.context.ledger.only_asks))
        looks = agent.mode == "read" or (self.context.ledger.untouched and not typed)
        context = replace(self.context, mode="read", offers=False) if looks else self.context
        context.ledger.begin_reply()
        try:
            for number, call in enumerate(calls, 1):
                seconds, before = 0.0, self.checkpoints.block_count
                if stop:
                    result = Result("skipped", stop)
                else:
                    printed.clear()
                    call = infer_path(call, context)
                    yield Called(call, number, len(calls))
                    block = PendingBlock(self._find_tool(agent, call), call, context, self.checkpoints, typed)
                    running = run_block(block, agent.name, self.hooks, self.gate, self.locks)
                    clocked = run_timed(self.locks.drive(running), printed, lambda: self.checkpoints.seconds)
                    result, seconds = yield from clocked
                    if not typed and number == len(calls):
                        result = shell.judge_status(call, result, context)
                    if not typed and result.outcome in ("ok", "failed"):
                        result = yield from self._restore_lost(call, result, before, keeps)
                if not result.ok and not stop:
                    how = {"failed": "failed", "denied": "was refused"}.get(result.outcome, "was not run")
                    stop = f"was not run, because block {number} {how}"
                results.append((call, result))
                yield Returned(call, result, number, seconds, context.ledger.pop_left_out())
                yield from self.report_line_counts(before)
        except KeyboardInterrupt:
            yield from self._report_interruption(
                calls, results, output.clip_output(printed.to_finished(EXIT), context)
            )
            raise
        return results

    def _restore_lost(
        self, call: Call, result: Result, before: int, keeps: bool
    ) -> Generator[Event, Reply, Result]:
        """Put files back that a block has lost; `keeps`: it may delete none from before the turn."""
        points, root, asked = self.checkpoints, self.context.workspace.root, self.conversation.asked
        changes = points.changes_since(before) or ()
        turn = points.changes_since(0) or () if keeps else ()
        wrong = losses.find_failed_part(call, result, changes, root)
        wrong = wrong or false_content.find_false_content(call.body, changes, points.read_content, asked)
        if not (loss := wrong or losses.find_loss(call.body, changes, turn, asked, root)):
            return result
        yield from map(Notice, filter(None, (points.restore_block(), *points.snapshot_after_block())))
        return loss

    def finish_stopped_block(self) -> Generator[Event, Reply, None]:
        """Look after the block that the user has stopped, if one was at work."""
        before, at_work = self.checkpoints.block_count - 1, self.checkpoints.has_open_block
        yield from map(Notice, self.checkpoints.snapshot_after_block())
        if at_work:
            yield from self.report_line_counts(before)

    def report_line_counts(self, before: int) -> Generator[Event, Reply, None]:
        """Say how many lines were added and removed by the turn's blocks from this number on."""
        if self.checkpoints.block_count > before and (files := self.checkpoints.count_line_changes(before)):
            yield Changed(files)

    def _report_interruption(
        self, calls: Sequence[Call], results: list[tuple[Call, Result]], printed: str
    ) -> Generator[Event, Reply, None]:
        """Tell what ran, and which block the user has interrupted."""
        at_work = calls[len(results) : len(results) + 1]
        results += [(call, Result("failed", INTERRUPTED.strip("()"), printed, exit=EXIT)) for call in at_work]
        said = self.replies.dialect.build_feedback(results, ())
        self.replies.conversation.add_user_message(said)
        if not at_work:
            self.replies.conversation.add_user_message(INTERRUPTED)
        if at_work:
            yield Returned(*results[-1], len(results), left_out=self.context.ledger.pop_left_out())

    def _find_tool(self, agent: Agent, call: Call) -> Tool:
        """Find the tool; a tag with a path that the agent does not own is a file to save and no program."""
        owned = {*agent.list_owned_tags(self.replies.languages), "append"} & self.tools.keys()
        return self.tools[call.tool if call.tool in owned else "write"]

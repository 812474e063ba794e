// Draws what is said and done in a session. Texts become HTML on the server alone, which escapes all tags.

import { post } from "/client.js";
import { compareTexts } from "/diff.js";

const PAUSE = 150;
const LONG = 20;
const STATES = { pending: "not run", in_progress: "running", completed: "done", failed: "failed" };
const ANSWERS = { pending: "asks", in_progress: "asks", completed: "agreed", failed: "declined" };
const TASKS = { pending: "open", in_progress: "at work", completed: "done" };
const FENCE = /^(`{3,})([^\n`]*)\n([\s\S]*?)\n?\1\s*$/;
// The talk scrolls where all fits on the screen (page.css), else the page does.
const FITS = matchMedia("(min-width: 48rem) and (min-height: 36rem)");

// What can be scrolled is reached by Tab, and nothing else that only shows text.
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const scrolls = target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight;
    if (scrolls) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});

let count = 0;

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function makePre(...children) {
  const pre = make("pre", {}, ...children);
  sizes.observe(pre);
  return pre;
}

// Enter sends the form of a field, Shift+Enter adds a line.
export function sendOnEnter(field) {
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      field.form.requestSubmit();
    }
  });
}

export class Talk {
  constructor(element) {
    this.element = element;
    this.clear("");
    addEventListener("scroll", () => this.watch(), { capture: true, passive: true });
    new MutationObserver(() => this.follows && this.follow()).observe(element, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  }

  // `folder`: the session's, from which paths are shown.
  clear(folder) {
    this.folder = folder;
    this.element.replaceChildren();
    this.reply = this.thought = this.plan = null;
    this.calls = new Map();
    this.follows = true;
  }

  add(element) {
    this.element.append(element);
    return element;
  }

  get scroller() {
    return FITS.matches ? this.element : document.scrollingElement;
  }

  // What is new stays in view, unless the user has scrolled away from the end.
  watch() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    this.follows = scrollHeight - scrollTop - clientHeight < 40;
  }

  follow() {
    this.follows = true;
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  show(update) {
    const kind = update.sessionUpdate;
    if (kind !== "agent_message_chunk") this.endReply();
    if (kind !== "agent_thought_chunk") this.thought = null;
    if (kind === "agent_message_chunk") this.addText(update.content.text ?? "");
    else if (kind === "agent_thought_chunk") this.addThought(update.content.text ?? "");
    else if (kind === "user_message_chunk") this.addRequest(update.content.text ?? "");
    else if (kind === "tool_call" || kind === "tool_call_update") this.showCall(update);
    else if (kind === "plan") this.showPlan(update.entries);
  }

  addRequest(text) {
    this.endReply();
    this.plan = null;
    this.add(make("div", { className: "request", textContent: text }));
  }

  addFailure(text) {
    this.endReply();
    this.add(make("p", { className: "failure", textContent: text }));
  }

  addText(text) {
    this.reply ??= { text: "", element: this.add(make("div", { className: "reply", ariaBusy: "true" })) };
    this.reply.text += text;
    const reply = this.reply;
    reply.timer ??= setTimeout(() => this.render(reply), PAUSE);
  }

  endReply() {
    if (this.reply) {
      this.reply.ended = true;
      clearTimeout(this.reply.timer);
      this.render(this.reply);
      this.reply = null;
    }
  }

  async render(reply) {
    reply.timer = null;
    const { text, ended } = reply;
    const html = await this.toHtml(text);
    // a later one may have come back first
    if (text.length < (reply.shown ?? 0)) return;
    reply.shown = text.length;
    reply.element.innerHTML = html;
    if (ended) reply.element.ariaBusy = "false";
    for (const pre of reply.element.querySelectorAll("pre")) sizes.observe(pre);
    for (const link of reply.element.querySelectorAll("a")) Object.assign(link, { target: "_blank", rel: "noopener" });
  }

  async toHtml(text) {
    try {
      return (await (await post("/markdown", { text })).json()).html;
    } catch {
      return make("pre", { textContent: text }).outerHTML;
    }
  }

  addThought(text) {
    if (!this.thought) {
      this.thought = makePre();
      this.add(make("details", {}, make("summary", { textContent: "Thoughts" }), this.thought));
    }
    this.thought.textContent += text;
  }

  showCall(update) {
    let call = this.calls.get(update.toolCallId);
    if (!call) {
      const title = make("span");
      const state = make("span", { className: "state" });
      const body = make("div");
      const element = make("article", { className: "call" }, make("h3", {}, title, " ", state), body);
      const words = update.rawInput?.tool === "question" ? ANSWERS : STATES;
      call = { element, title, state, body, words };
      this.calls.set(update.toolCallId, call);
      this.add(element);
    }
    if (update.title) call.title.textContent = update.title;
    if (update.status) {
      call.state.textContent = call.words[update.status] ?? update.status;
      call.element.className = `call ${update.status}`;
      call.element.ariaBusy = String(update.status === "in_progress");
    }
    if (update.content) this.showContent(call.body, update.content);
  }

  // What was unfolded stays so while more is printed.
  showContent(body, content) {
    const open = body.querySelector("details")?.open;
    const focused = body.contains(document.activeElement);
    body.replaceChildren(...content.map((one) => this.drawContent(one)));
    const details = body.querySelector("details");
    if (details && open) details.open = true;
    if (focused) details?.firstChild.focus();
  }

  showPlan(entries) {
    this.plan ??= this.add(make("ol", { ariaLabel: "Plan" }));
    this.plan.replaceChildren(
      ...entries.map((entry) => make("li", { textContent: `${entry.content} (${TASKS[entry.status]})` })),
    );
  }

  // Asks with a button for each option; gives the element.
  addQuestion(call, options, answer) {
    const known = this.calls.get(call.toolCallId);
    if (known) known.state.textContent = ANSWERS.pending;
    const title = make("h3", { id: `question-${++count}`, className: "first", tabIndex: -1, textContent: call.title });
    const content = (call.content ?? []).map((one) => this.drawContent(one));
    const buttons = options.map((option) =>
      make("button", { type: "button", textContent: option.name, onclick: () => answer(option.optionId) }),
    );
    const no = options.find((option) => option.kind === "reject_once");
    const group = make(
      "section",
      { className: "question", role: "group", "aria-labelledby": title.id },
      title,
      ...content,
      make("div", { className: "row" }, ...buttons),
    );
    group.onkeydown = (event) => {
      if (event.key === "Escape" && no) answer(no.optionId);
    };
    return this.showQuestion(group);
  }

  // Asks for a text; gives the element.
  addField(text, answer) {
    const title = make("h3", { id: `question-${++count}`, textContent: text });
    const field = make("textarea", { id: `field-${count}`, className: "first", rows: 2, "aria-describedby": title.id });
    const label = make("label", { htmlFor: field.id, textContent: "Answer" });
    const send = make("button", { type: "submit", textContent: "Answer" });
    const form = make("form", { className: "question" }, title, label, field, make("div", { className: "row" }, send));
    form.onsubmit = (event) => {
      event.preventDefault();
      answer(field.value.trim());
    };
    sendOnEnter(field);
    return this.showQuestion(form);
  }

  showQuestion(element) {
    this.endReply();
    this.add(element);
    return element;
  }

  drawContent(content) {
    if (content.type === "diff") {
      const { path, oldText, newText } = content;
      const shown = path.startsWith(`${this.folder}/`) ? path.slice(this.folder.length + 1) : path;
      const pre = makePre(...compareTexts(oldText, newText).map(drawLine));
      return make("div", {}, make("div", { className: "tag", textContent: shown }), pre);
    }
    const text = content.content?.text ?? "";
    const [, , tag, inner] = text.match(FENCE) ?? [];
    if (inner === undefined) return make("p", { className: "plain", textContent: text });
    const lines = inner.split("\n");
    const pre = makePre(...(tag === "diff" ? lines.map(drawLine) : [inner]));
    if (lines.length <= LONG) return pre;
    return make("details", {}, make("summary", { textContent: `${lines.length} lines` }), pre);
  }
}

function drawLine(line) {
  const tone = { "+": "added", "-": "removed" }[line[0]] ?? "same";
  return make("span", { className: tone, textContent: `${line}\n` });
}

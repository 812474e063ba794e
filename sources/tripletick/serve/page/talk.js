// Draws what is said and done in a session. Texts become HTML on the server alone, which escapes all tags.

import { post } from "/client.js";

const PAUSE = 150;
const LONG = 20;
const NEAR = 3;
const STATES = { pending: "not run", in_progress: "running", completed: "done", failed: "failed" };
const TASKS = { pending: "open", in_progress: "at work", completed: "done" };
const FENCE = /^(`{3,})[\w-]*\n([\s\S]*?)\n?\1\s*$/;

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export class Talk {
  constructor(element) {
    this.element = element;
    this.clear();
    // what is new stays in view, unless the user has scrolled away from the end
    let follows = true;
    element.addEventListener("scroll", () => {
      follows = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
    });
    new MutationObserver(() => {
      if (follows) element.scrollTop = element.scrollHeight;
    }).observe(element, { childList: true, subtree: true, characterData: true });
  }

  clear() {
    this.element.replaceChildren();
    this.reply = this.thought = this.plan = null;
    this.calls = new Map();
  }

  add(element) {
    this.element.append(element);
    return element;
  }

  show(update) {
    const kind = update.sessionUpdate;
    if (kind !== "agent_message_chunk" && kind !== "usage_update") this.endReply();
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
    for (const pre of reply.element.querySelectorAll("pre")) pre.tabIndex = 0;
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
      this.thought = make("pre", { tabIndex: 0 });
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
      call = { element, title, state, body };
      this.calls.set(update.toolCallId, call);
      this.add(element);
    }
    if (update.title) call.title.textContent = update.title;
    if (update.status) {
      call.state.textContent = STATES[update.status] ?? update.status;
      call.element.className = `call ${update.status}`;
    }
    if (update.content) call.body.replaceChildren(...update.content.map(drawContent));
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
    if (known) known.state.textContent = "asks";
    const id = `question-${call.toolCallId}-${Math.floor(performance.now())}`;
    const title = make("h3", { id, tabIndex: -1, textContent: call.title });
    const content = (call.content ?? []).map(drawContent);
    const buttons = options.map((option) =>
      make("button", { type: "button", textContent: option.name, onclick: () => answer(option.optionId) }),
    );
    const no = options.find((option) => option.kind.startsWith("reject_once"));
    const group = make(
      "section",
      { className: "question", role: "group", "aria-labelledby": id },
      title,
      ...content,
      make("div", { className: "row" }, ...buttons),
    );
    group.onkeydown = (event) => {
      if (event.key === "Escape" && no) answer(no.optionId);
    };
    return this.showQuestion(group, title);
  }

  // Asks for a text; gives the element.
  addField(text, answer) {
    const field = make("textarea", { id: `field-${Math.floor(performance.now())}`, rows: 2 });
    const label = make("label", { htmlFor: field.id, textContent: "Answer" });
    const send = make("button", { type: "submit", textContent: "Answer" });
    const title = make("h3", { textContent: text, tabIndex: -1 });
    const form = make("form", { className: "question" }, title, label, field, make("div", { className: "row" }, send));
    form.onsubmit = (event) => {
      event.preventDefault();
      answer(field.value.trim());
    };
    return this.showQuestion(form, field);
  }

  showQuestion(element, focused) {
    this.endReply();
    this.add(element);
    element.scrollIntoView({ block: "nearest" });
    focused.focus();
    return element;
  }
}

function drawContent(content) {
  if (content.type === "diff") return drawDiff(content);
  const text = content.content?.text ?? "";
  const inner = text.match(FENCE)?.[2];
  if (inner === undefined) return make("p", { className: "plain", textContent: text });
  const lines = inner.split("\n");
  const pre = make("pre", { tabIndex: 0 });
  const isDiff = text.startsWith("```diff");
  pre.append(...(isDiff ? lines.map((line) => drawLine(line)) : [inner]));
  if (lines.length <= LONG) return pre;
  return make("details", {}, make("summary", { textContent: `${lines.length} lines` }), pre);
}

function drawLine(line) {
  const tone = { "+": "added", "-": "removed" }[line[0]] ?? "same";
  return make("span", { className: tone, textContent: `${line}\n` });
}

// The changed lines of a file between what is the same before and behind them.
function drawDiff({ path, oldText, newText }) {
  const old = oldText ? oldText.replace(/\n$/, "").split("\n") : [];
  const now = newText ? newText.replace(/\n$/, "").split("\n") : [];
  let first = 0;
  while (first < old.length && first < now.length && old[first] === now[first]) first++;
  let last = 0;
  const most = Math.min(old.length, now.length) - first;
  while (last < most && old[old.length - 1 - last] === now[now.length - 1 - last]) last++;
  const lines = [
    ...old.slice(Math.max(0, first - NEAR), first).map((line) => `  ${line}`),
    ...old.slice(first, old.length - last).map((line) => `- ${line}`),
    ...now.slice(first, now.length - last).map((line) => `+ ${line}`),
    ...old.slice(old.length - last, old.length - last + NEAR).map((line) => `  ${line}`),
  ];
  const pre = make("pre", { tabIndex: 0 }, ...lines.map(drawLine));
  return make("div", {}, make("div", { className: "tag", textContent: path }), pre);
}

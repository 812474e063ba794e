// The page: who is logged in, which folder and session is open, and what the user sends.

import { Connection, LoggedOut, post } from "/client.js";
import { Talk, make } from "/talk.js";

const OPEN = "session";
const LOST = "Connection lost. Trying again …";

const at = (id) => document.getElementById(id);
const talk = new Talk(at("talk"));
const questions = new Map();
let connection, session, folders, atWork = false, wanted = null;

function say(words) {
  at("status").textContent = words;
  document.title = words ? `${words} – tripletick` : "tripletick";
}

function showState() {
  at("send").disabled = !folders.length || atWork;
  at("stop").disabled = !atWork;
  for (const id of ["undo", "redo"]) at(id).disabled = !session || atWork;
  for (const select of at("choices").querySelectorAll("select")) select.disabled = !session;
}

// Logging in

async function start() {
  const token = location.hash.match(/^#token=(.+)$/)?.[1];
  if (token) {
    history.replaceState(null, "", "/");
    await logIn(token);
    return;
  }
  try {
    const answer = await fetch("/about");
    if (answer.status === 401) throw new LoggedOut();
    await begin(await answer.json());
  } catch (error) {
    if (error instanceof LoggedOut) showLogin();
    else say("The server does not answer. Load the page again.");
  }
}

function showLogin(words = "") {
  sessionStorage.clear();
  at("work").hidden = true;
  at("login").hidden = false;
  at("login-error").textContent = words;
  at("token").focus();
  say("Log in");
}

async function logIn(token) {
  const answer = await fetch("/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  at("token").value = "";
  if (answer.ok) await begin(await (await fetch("/about")).json());
  else showLogin((await answer.json()).error.message);
}

async function begin(about) {
  folders = about.folders;
  at("login").hidden = true;
  at("work").hidden = false;
  at("folder").replaceChildren(...folders.map((path) => make("option", { value: path, textContent: path })));
  for (const id of ["folder", "new"]) at(id).disabled = !folders.length;
  say(folders.length ? "" : "No folder is allowed: start the server with --allow DIR");
  showState();
  await connect();
}

// The connection

async function connect() {
  connection = new Connection({ sent: takeSent, result: takeResult, asked: takeQuestion, told: takeUpdate, state: takeState });
  const open = JSON.parse(sessionStorage.getItem(OPEN) ?? "null");
  if (open && folders.includes(open.folder)) at("folder").value = open.folder;
  const known = await connection.open();
  if (!known && open) load(open.name, open.folder);
  listSessions();
}

function takeState(word) {
  if (word === "lost") say(LOST);
  else if (word === "logged out") showLogin();
  else if (word === "open" && at("status").textContent === LOST) say(atWork ? "At work" : "");
  else if (word === "gone") {
    atWork = false;
    questions.clear();
    setTimeout(() => start(), 1000);
  }
}

function takeSent(message) {
  if (message.method === "session/load") open(message.params.sessionId, message.params.cwd);
  else if (message.method === "session/prompt") {
    atWork = true;
    talk.addRequest(message.params.prompt.map((part) => part.text ?? "").join("\n"));
    say("At work");
  } else if (!message.method && questions.has(message.id)) {
    questions.get(message.id).remove();
    questions.delete(message.id);
    say("At work");
    if (document.activeElement === document.body) at("input").focus();
  }
  showState();
}

function takeResult(request, result, error) {
  const { method, params } = request;
  if (method === "session/prompt") {
    talk.endReply();
    atWork = false;
    for (const element of questions.values()) element.remove();
    questions.clear();
    if (error) talk.addFailure(error.message);
    say(error ? "Failed" : result.stopReason === "cancelled" ? "Stopped" : "Done");
    listSessions();
  } else if (error) {
    talk.addFailure(error.message);
    say("Failed");
  } else if (method === "session/new") {
    open(result.sessionId, params.cwd);
    showOptions(result.configOptions);
    say("New session");
    if (wanted !== null) send(wanted);
    wanted = null;
  } else if (method === "session/load") {
    talk.endReply();
    showOptions(result.configOptions);
    say("Session opened");
  } else if (method === "session/set_config_option") showOptions(result.configOptions);
  else if (method === "session/list") showSessions(result.sessions);
  showState();
}

function takeUpdate({ sessionId, update }) {
  if (session && sessionId !== session) return;
  if (update.sessionUpdate === "config_option_update") showOptions(update.configOptions);
  else if (update.sessionUpdate === "session_info_update" && update.title) at("title").textContent = update.title;
  else if (update.sessionUpdate === "available_commands_update") showCommands(update.availableCommands);
  else if (update.sessionUpdate === "usage_update") {
    at("usage").textContent = `${update.used.toLocaleString("en")} of ${update.size.toLocaleString("en")} tokens used.`;
  } else talk.show(update);
}

function takeQuestion({ id, method, params }) {
  let element;
  if (method === "session/request_permission") {
    element = talk.addQuestion(params.toolCall, params.options, (optionId) =>
      connection.answer(id, { outcome: { outcome: "selected", optionId } }),
    );
  } else if (method === "elicitation/create") {
    element = talk.addField(params.message, (answer) =>
      connection.answer(id, answer ? { action: "accept", content: { answer } } : { action: "decline" }),
    );
  } else return;
  questions.set(id, element);
  say("A question");
}

// Sessions

function open(name, folder) {
  session = name;
  atWork = false;
  talk.clear();
  at("title").textContent = "Session";
  at("usage").textContent = "";
  at("folder").value = folder;
  sessionStorage.setItem(OPEN, JSON.stringify({ name, folder }));
  markSession();
}

function load(name, folder) {
  connection.request("session/load", { sessionId: name, cwd: folder, mcpServers: [] });
}

function listSessions() {
  if (folders.length) connection.request("session/list", { cwd: at("folder").value });
}

function showSessions(rows) {
  at("sessions").replaceChildren(
    ...rows.map((row) => {
      const button = make("button", { type: "button", onclick: () => leaveFor(() => load(row.sessionId, row.cwd)) });
      button.dataset.name = row.sessionId;
      const when = new Date(row.updatedAt).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
      button.append(row.title || "Untitled", make("small", { textContent: when }));
      return make("li", {}, button);
    }),
  );
  at("earlier").hidden = !rows.length;
  markSession();
}

function markSession() {
  for (const button of at("sessions").querySelectorAll("button")) {
    if (button.dataset.name === session) {
      button.setAttribute("aria-current", "true");
      at("title").textContent = button.firstChild.textContent;
    } else button.removeAttribute("aria-current");
  }
}

function leaveFor(go) {
  if (atWork) say("At work: stop it first");
  else go();
}

// What may be chosen

function showOptions(options) {
  at("choices").replaceChildren(
    ...(options ?? []).map((option) => {
      const select = make("select", {});
      select.append(
        ...option.options.map((one) => make("option", { value: one.value, textContent: one.name, title: one.description ?? "" })),
      );
      select.value = option.currentValue;
      select.onchange = () =>
        connection.request("session/set_config_option", { sessionId: session, configId: option.id, value: select.value });
      return make("label", {}, option.name, select);
    }),
  );
}

function showCommands(commands) {
  at("commands").hidden = !commands.length;
  at("commands").querySelector("ul").replaceChildren(
    ...commands.map(({ name, description }) =>
      make("li", {}, make("button", { type: "button", textContent: `/${name}`, onclick: () => insert(`/${name} `) }), description),
    ),
  );
}

function insert(text) {
  at("input").value = text;
  at("input").focus();
}

// What the user sends

function send(text) {
  if (!text.trim() || atWork) return;
  if (session) connection.request("session/prompt", { sessionId: session, prompt: [{ type: "text", text }] });
  else {
    wanted = text;
    connection.request("session/new", { cwd: at("folder").value, mcpServers: [] });
  }
}

at("login").addEventListener("submit", (event) => {
  event.preventDefault();
  logIn(at("token").value.trim());
});
at("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  if (atWork || !folders.length) return;
  send(at("input").value);
  at("input").value = "";
});
at("input").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    at("ask").requestSubmit();
  }
});
at("stop").addEventListener("click", () => connection.notify("session/cancel", { sessionId: session }));
at("undo").addEventListener("click", () => send("/undo"));
at("redo").addEventListener("click", () => send("/redo"));
at("new").addEventListener("click", () =>
  leaveFor(() => connection.request("session/new", { cwd: at("folder").value, mcpServers: [] })),
);
at("folder").addEventListener("change", listSessions);

start();

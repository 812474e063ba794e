// The page: who is logged in, which folder and session is open, and what the user sends.
//
// All that is shown comes from the connection's journal, which is told again to a page that is loaded anew. It
// has been told to its end (`live`) once the page's own first request for the list of sessions is answered.

import { Connection, post } from "/client.js";
import { Talk, make, sendOnEnter } from "/talk.js";

const OPEN = "session";
const LOST = "Connection lost. Trying again …";
const BUSY = "At work: wait, or stop it first";
const KEYS = "Enter sends, Shift+Enter adds a line.";
const WAIT = "At work. Send again when it is done or stopped.";

const at = (id) => document.getElementById(id);
const talk = new Talk(at("talk"));
const questions = new Map();
let connection, session, folders, options, live;
// The id of the request at work; what is sent once the new session is there; whether a request is on its way.
let atWork = null, wanted = null, sending = false;

function announce(words) {
  at("status").textContent = words;
  document.title = words ? `${words} – tripletick` : "tripletick";
}

function say(words) {
  if (live) announce(words);
}

function sayState() {
  say(questions.size ? "A question" : atWork ? "At work" : "");
}

// A button keeps the focus while it cannot be used.
function enable(id, can) {
  at(id).ariaDisabled = String(!can);
}

function onClick(id, act) {
  at(id).addEventListener("click", () => at(id).ariaDisabled !== "true" && act());
}

function showState() {
  const idle = folders.length > 0 && !atWork;
  enable("send", idle);
  enable("new", idle);
  enable("stop", atWork);
  for (const id of ["undo", "redo"]) enable(id, session && idle);
  at("keys").textContent = atWork ? WAIT : KEYS;
}

// Puts new elements in the place of the old ones; the focus stays on the one of the same name.
function refill(element, ...children) {
  const focused = element.contains(document.activeElement) && document.activeElement.dataset.name;
  element.replaceChildren(...children);
  if (focused) element.querySelector(`[data-name="${CSS.escape(focused)}"]`)?.focus();
}

// Logging in

async function start() {
  connection?.close();
  const token = location.hash.match(/^#token=(.+)$/)?.[1];
  if (token) history.replaceState(null, "", "/");
  try {
    if (token) await logIn(token);
    else await begin(await (await fetch("/about")).json());
  } catch {
    if (connection) setTimeout(start, 2000);
    else announce("The server does not answer. Load the page again.");
  }
}

function showLogin(words = "") {
  connection?.close();
  at("work").hidden = true;
  at("login").hidden = false;
  at("login-error").textContent = words;
  at("token").focus();
  announce("Log in");
}

async function logIn(token) {
  at("token").value = "";
  try {
    await post("/login", { token });
  } catch (error) {
    return showLogin(error.status ? error.message : "The server does not answer.");
  }
  await begin(await (await fetch("/about")).json());
}

async function begin(about) {
  if (!about.folders) return showLogin();
  folders = about.folders;
  at("login").hidden = true;
  at("work").hidden = false;
  refill(at("folder"), ...folders.map((path) => make("option", { value: path, textContent: path })));
  at("folder").disabled = !folders.length;
  await connect();
}

// The connection

async function connect() {
  live = !folders.length;
  questions.clear();
  at("input").value ||= wanted ?? "";
  wanted = null;
  leave();
  if (live) return say("No folder is allowed: start the server with --allow DIR");
  at("talk").ariaBusy = "true";
  connection = new Connection({ sent: takeSent, result: takeResult, asked: takeQuestion, told: takeUpdate, state: takeState });
  const open = JSON.parse(sessionStorage.getItem(OPEN) ?? "null");
  if (folders.includes(open?.folder)) at("folder").value = open.folder;
  const known = await connection.open();
  if (!known && open) load(open.name, open.folder);
  else listSessions();
}

function takeState(word, why) {
  if (word === "lost") announce(LOST);
  else if (word === "refused") announce(why);
  else if (word === "logged out") showLogin();
  else if (word === "ended") start();
  else if (word === "open" && at("status").textContent === LOST) sayState();
}

function takeSent(message) {
  const { id, method, params } = message;
  if (method === "session/load") {
    open(params.sessionId, params.cwd);
    remember();
    at("talk").ariaBusy = "true";
  } else if (method === "session/close" && params.sessionId === session) leave();
  else if (method === "session/prompt" && !atWork) {
    atWork = id;
    remember();
    talk.addRequest(params.prompt.map((part) => part.text ?? "").join("\n"));
    say("At work");
  } else if (!method && questions.has(id)) {
    questions.get(id).remove();
    questions.delete(id);
    talk.follow();
    sayState();
    if (live && document.activeElement === document.body) at("input").focus();
  }
  showState();
}

function takeResult(request, result, error) {
  const { id, method, params } = request;
  const own = connection.own.has(id);
  if (error) {
    talk.addFailure(error.message);
    say("Failed");
  }
  if (method === "session/prompt" && id === atWork) endWork(result, own);
  else if (method === "session/new") beginSession(result, params, own);
  else if (method === "session/load") {
    talk.endReply();
    at("talk").ariaBusy = String(!live);
    if (error) forget();
    else {
      showOptions(result.configOptions);
      say("Session opened");
    }
    if (own && !live) listSessions();
  } else if (method === "session/set_config_option") showOptions(result?.configOptions ?? options);
  else if (method === "session/list" && own) {
    if (!live) showAll();
    if (result && params.cwd === at("folder").value) showSessions(result, Boolean(params.cursor));
  }
  showState();
}

function showAll() {
  live = true;
  at("talk").ariaBusy = "false";
  talk.follow();
  sayState();
  for (const element of questions.values()) show(element);
}

function endWork(result, own) {
  talk.endReply();
  atWork = null;
  for (const element of questions.values()) element.remove();
  questions.clear();
  if (result) say(result.stopReason === "cancelled" ? "Stopped" : "Done");
  if (own) listSessions();
}

function beginSession(result, params, own) {
  const text = wanted ?? "";
  if (own) wanted = null;
  if (result) {
    open(result.sessionId, params.cwd);
    showOptions(result.configOptions);
    say("New session");
    if (own && text) send(text);
  } else if (own) at("input").value ||= text;
}

function takeUpdate({ sessionId, update }) {
  if (sessionId !== session) return;
  if (update.sessionUpdate === "config_option_update") showOptions(update.configOptions);
  else if (update.sessionUpdate === "session_info_update") at("title").textContent = update.title || "Session";
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
  sayState();
  if (live) show(element);
}

function show(question) {
  question.querySelector(".first").focus();
  // after the talk has gone to its end
  queueMicrotask(() => question.scrollIntoView({ block: "nearest" }));
}

// Sessions

function open(name, folder) {
  leave(folder);
  session = name;
  at("title").textContent = "Session";
  at("place").textContent = `in ${folder}`;
  at("folder").value = folder;
  at("talk").ariaBusy = String(!live);
  sessionStorage.removeItem(OPEN);
  markSession();
}

function leave(folder = "") {
  session = atWork = null;
  talk.clear(folder);
  at("title").textContent = "No session yet";
  at("place").textContent = at("usage").textContent = "";
  at("choices").replaceChildren();
  at("commands").hidden = true;
  showState();
}

// What a server that was started again is asked for; it keeps no session that nothing was said in.
function remember() {
  sessionStorage.setItem(OPEN, JSON.stringify({ name: session, folder: talk.folder }));
}

function forget() {
  session = null;
  sessionStorage.removeItem(OPEN);
  at("choices").replaceChildren();
}

function load(name, folder) {
  return connection.request("session/load", { sessionId: name, cwd: folder, mcpServers: [] });
}

function create() {
  return connection.request("session/new", { cwd: at("folder").value, mcpServers: [] });
}

function listSessions(cursor) {
  connection.request("session/list", { cwd: at("folder").value, ...(cursor ? { cursor } : {}) });
}

function showSessions({ sessions, nextCursor }, isMore) {
  const kept = isMore ? [...at("sessions").children].slice(0, -1) : [];
  const rows = sessions.map((row) => {
    const when = new Date(row.updatedAt).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
    return makeRow(row.sessionId, () => leaveFor(() => load(row.sessionId, row.cwd)), row.title || "Untitled", make("small", { textContent: when }));
  });
  if (nextCursor) rows.push(makeRow("more", () => listSessions(nextCursor), "Show more"));
  const asked = document.activeElement.dataset.name === "more";
  refill(at("sessions"), ...kept, ...rows);
  if (isMore && asked) rows[0]?.firstChild.focus();
  at("earlier").hidden = !sessions.length;
  markSession();
}

function makeRow(name, onclick, ...words) {
  const button = make("button", { type: "button", onclick }, ...words);
  button.dataset.name = name;
  return make("li", {}, button);
}

function markSession() {
  for (const button of at("sessions").querySelectorAll("button")) {
    if (button.dataset.name === session) {
      button.setAttribute("aria-current", "true");
      at("title").textContent = button.firstChild.textContent;
    } else button.removeAttribute("aria-current");
  }
}

// A session that is left is ended on the server; its log is kept.
async function leaveFor(go) {
  if (atWork || sending) return say(BUSY);
  if (session) await connection.request("session/close", { sessionId: session });
  await go();
}

// What may be chosen

function showOptions(given) {
  options = given ?? [];
  const rows = options.map((option) => {
    const select = make("select", {});
    select.dataset.name = option.id;
    select.append(
      ...option.options.map((one) => make("option", { value: one.value, textContent: one.name, title: one.description ?? "" })),
    );
    select.value = option.currentValue;
    select.onchange = () =>
      connection.request("session/set_config_option", { sessionId: session, configId: option.id, value: select.value });
    return make("label", {}, option.name, select);
  });
  refill(at("choices"), ...rows);
}

function showCommands(commands) {
  at("commands").hidden = !commands.length;
  const rows = commands.map(({ name, description }) =>
    make("li", {}, make("button", { type: "button", textContent: `/${name}`, onclick: () => insert(`/${name} `) }), description),
  );
  at("commands").querySelector("ul").replaceChildren(...rows);
}

function insert(text) {
  at("input").value = text;
  at("input").focus();
}

// What the user sends; gives whether the server has it

async function send(text) {
  sending = true;
  try {
    if (session) return await connection.request("session/prompt", { sessionId: session, prompt: [{ type: "text", text }] });
    wanted = text;
    const sent = await create();
    if (!sent) wanted = null;
    return sent;
  } finally {
    sending = false;
  }
}

async function submit() {
  const text = at("input").value;
  if (!text.trim() || !folders.length) return;
  if (atWork || sending) return say(BUSY);
  at("input").value = "";
  if (!(await send(text))) at("input").value ||= text;
}

at("login").addEventListener("submit", (event) => {
  event.preventDefault();
  logIn(at("token").value.trim());
});
at("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});
sendOnEnter(at("input"));
onClick("stop", () => connection.notify("session/cancel", { sessionId: session }));
onClick("undo", () => send("/undo"));
onClick("redo", () => send("/redo"));
onClick("new", () => leaveFor(create));
at("folder").addEventListener("change", () => listSessions());
window.addEventListener("hashchange", () => location.hash.startsWith("#token=") && start());

at("earlier").open = matchMedia("(min-width: 48rem)").matches;
start();

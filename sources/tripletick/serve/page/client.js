// The page's end of the Agent Client Protocol: messages are posted, and come back over server-sent events.
// What the page itself has sent is told again too, so that a page that is loaded anew learns all of it.

const NAME = "connection";

export async function post(path, body, method = "POST") {
  const answer = await fetch(path, {
    method,
    headers: { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (answer.status === 401) throw new LoggedOut();
  if (!answer.ok) throw new Error((await answer.json()).error.message);
  return answer;
}

export class LoggedOut extends Error {}

export class Connection {
  // `handlers`: sent(message), result(request, result, error), asked(message), told(update), state(word)
  constructor(handlers) {
    this.handlers = handlers;
    this.requests = new Map();
  }

  // Gives whether the connection is one that was there before.
  async open() {
    this.name = sessionStorage.getItem(NAME);
    const known = Boolean(this.name);
    if (!known) {
      this.name = (await (await post("/acp", {})).json()).name;
      sessionStorage.setItem(NAME, this.name);
    }
    this.listen();
    if (!known) {
      this.request("initialize", { protocolVersion: 1, clientCapabilities: { elicitation: { form: {} } } });
    }
    return known;
  }

  listen() {
    this.events = new EventSource(`/acp/${this.name}/events`);
    this.events.addEventListener("open", () => this.handlers.state("open"));
    this.events.addEventListener("message", (event) => this.take(JSON.parse(event.data)));
    this.events.addEventListener("sent", (event) => this.takeSent(JSON.parse(event.data)));
    this.events.addEventListener("error", () => {
      if (this.events.readyState === EventSource.CLOSED) this.check();
      else this.handlers.state("lost");
    });
  }

  // A stream also closes with its page, which is no reason to forget the connection.
  async check() {
    const answer = await fetch(`/acp/${this.name}`, { method: "POST" });
    if (answer.status === 401) this.handlers.state("logged out");
    if (answer.status !== 404) return;
    sessionStorage.removeItem(NAME);
    this.handlers.state("gone");
  }

  take(message) {
    if (message.method === "session/update") this.handlers.told(message.params);
    else if (message.method) this.handlers.asked(message);
    else {
      const request = this.requests.get(message.id);
      this.requests.delete(message.id);
      if (request) this.handlers.result(request, message.result, message.error);
    }
  }

  takeSent(message) {
    if (message.method && message.id !== undefined) this.requests.set(message.id, message);
    this.handlers.sent(message);
  }

  request(method, params) {
    const id = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");
    return this.send({ id, method, params });
  }

  notify(method, params) {
    return this.send({ method, params });
  }

  answer(id, result) {
    return this.send({ id, result });
  }

  async send(message) {
    try {
      await post(`/acp/${this.name}`, { jsonrpc: "2.0", ...message });
    } catch (error) {
      this.handlers.state(error instanceof LoggedOut ? "logged out" : "lost");
    }
  }
}

// The page's end of the Agent Client Protocol: messages are posted, and come back over server-sent events.
// What the page itself has sent is told again too, so that a page that is loaded anew learns all of it.

const NAME = "connection";
const AGAIN = 2000;

export class RefusedError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function post(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => null);
  throw new RefusedError(answer.status, told?.error?.message ?? `The server answered ${answer.status}.`);
}

export class Connection {
  // `handlers`: sent(message), result(request, result, error), asked(message), told(update), state(word, why)
  constructor(handlers) {
    this.handlers = handlers;
    this.requests = new Map();
    this.own = new Set();
    this.isClosed = false;
  }

  // Gives whether the connection is one that was there before.
  async open() {
    const kept = sessionStorage.getItem(NAME);
    // what is sent meanwhile waits for the name
    this.name = kept ? Promise.resolve(kept) : this.create();
    this.listen(await this.name);
    return Boolean(kept);
  }

  async create() {
    const { name } = await (await post("/acp", {})).json();
    const params = { protocolVersion: 1, clientCapabilities: { elicitation: { form: {} } } };
    await post(`/acp/${name}`, { jsonrpc: "2.0", id: "initialize", method: "initialize", params });
    sessionStorage.setItem(NAME, name);
    return name;
  }

  listen(name) {
    if (this.isClosed) return;
    this.events = new EventSource(`/acp/${name}/events`);
    this.events.addEventListener("open", () => this.handlers.state("open"));
    this.events.addEventListener("message", (event) => this.take(JSON.parse(event.data)));
    this.events.addEventListener("sent", (event) => this.takeSent(JSON.parse(event.data)));
    this.events.addEventListener("error", () => {
      this.handlers.state("lost");
      if (this.events.readyState === EventSource.CLOSED) this.check();
    });
  }

  close() {
    this.isClosed = true;
    this.events?.close();
  }

  // Why the stream has ended for good; one also ends with its page, which is no reason to forget the connection.
  async check() {
    this.close();
    try {
      await post(`/acp/${await this.name}`);
    } catch (error) {
      if (error.status === 401) return this.handlers.state("logged out");
      if (error.status === 404) {
        sessionStorage.removeItem(NAME);
        return this.handlers.state("ended");
      }
    }
    setTimeout(() => this.handlers.state("ended"), AGAIN);
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

  // Each gives whether the server has it.
  request(method, params) {
    const id = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");
    this.own.add(id);
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
      await post(`/acp/${await this.name}`, { jsonrpc: "2.0", ...message });
      return true;
    } catch (error) {
      if (error.status === 404) this.check();
      else if (error.status === 401) this.handlers.state("logged out");
      else this.handlers.state(error.status ? "refused" : "lost", error.message);
      return false;
    }
  }
}

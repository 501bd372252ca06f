// The web socket: requests with answers, events, and reconnection. Requests without an answer are sent again.

// Milliseconds without any message after which a request's connection counts as dead.
const SILENT = 12000;

export class Refused extends Error {
  constructor(error) {
    super(error.text ?? String(error));
    Object.assign(this, { code: error.code, field: error.field, error });
  }
}

export class Link {
  constructor() {
    this.next = 1;
    this.waiting = new Map();
    this.listeners = new Map();
    this.isOpen = false;
    this.failures = 0;
    this.heard = 0;
    this.woken = Date.now();
    window.addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") this.retry(); });
    setInterval(() => this.watch(), 4000);
  }

  // Listens to an event, to `open` or `close`.
  on(event, call) {
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), call]);
  }

  emit(event, value) {
    for (const call of this.listeners.get(event) ?? []) call(value);
  }

  connect() {
    clearTimeout(this.timer);
    this.timer = null;
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    this.socket = socket;
    socket.addEventListener("open", () => {
      if (socket !== this.socket) return;
      this.isOpen = true;
      this.failures = 0;
      this.heard = Date.now();
      for (const { message } of this.waiting.values()) this.socket.send(message);
      this.emit("open");
    });
    socket.addEventListener("message", (event) => { if (socket === this.socket) this.receive(event.data); });
    socket.addEventListener("close", () => { if (socket === this.socket) this.closed(); });
  }

  receive(text) {
    this.heard = Date.now();
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    const request = this.waiting.get(message.id);
    if (request) {
      this.waiting.delete(message.id);
      if (message.error) request.reject(new Refused(message.error));
      else request.resolve(message.answer);
    } else if (message.event) {
      this.emit(message.event, message);
    }
  }

  closed() {
    this.isOpen = false;
    this.socket = null;
    this.emit("close");
    for (const [id, request] of this.waiting) {
      if (!request.once) continue;
      this.waiting.delete(id);
      request.reject(new Refused({ code: "closed", text: "The connection was lost." }));
    }
    const delay = Math.min(15000, 400 * 2 ** this.failures) * (0.75 + Math.random() / 2);
    this.failures += 1;
    this.timer = setTimeout(() => this.connect(), delay);
  }

  // Connects now if that waits.
  retry() {
    if (this.timer) this.connect();
  }

  // Notices a connection that died without a word, as in a suspended computer.
  watch() {
    const now = Date.now();
    const slept = now - this.woken > 30000;
    this.woken = now;
    const oldest = this.waiting.values().next().value;
    const isStuck = oldest && now - Math.max(oldest.since, this.heard) > SILENT;
    if (!this.isOpen || !(slept || isStuck)) return;
    const socket = this.socket;
    this.closed();
    socket.close();
    this.failures = 0;
    this.retry();
  }

  // Asks the server. `once`: fails instead of being sent again after a lost connection.
  ask(ask, fields = {}, once = false) {
    const id = this.next++;
    const message = JSON.stringify({ id, ask, ...fields });
    return new Promise((resolve, reject) => {
      if (once && !this.isOpen) {
        reject(new Refused({ code: "closed", text: "There is no connection to the server." }));
        return;
      }
      this.waiting.set(id, { message, resolve, reject, once, since: Date.now() });
      if (this.isOpen) this.socket.send(message);
    });
  }
}

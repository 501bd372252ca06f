// The web socket: requests with answers, events, and reconnection. Unanswered requests are sent again.

// Milliseconds without a message after which a connection counts as dead while it opens or a request is pending.
const TIMEOUT = 12000;
// Milliseconds between two checks after which the computer was suspended. Hidden pages are checked once a minute.
const SUSPENDED = 150000;

export class RequestError extends Error {
  constructor(error) {
    super(error.text ?? String(error));
    Object.assign(this, { code: error.code, field: error.field, error });
  }
}

export class Link {
  constructor() {
    this.next = 1;
    this.pending = new Map();
    this.listeners = new Map();
    this.isOpen = false;
    this.failures = 0;
    this.lastMessage = 0;
    this.lastCheck = Date.now();
    window.addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") this.retry(); });
    setInterval(() => this.check(), 4000);
  }

  // Listens to an event, or to `open` or `close`.
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
    this.lastMessage = Date.now();
    socket.addEventListener("open", () => {
      if (socket !== this.socket) return;
      this.isOpen = true;
      this.failures = 0;
      this.lastMessage = Date.now();
      for (const { message } of this.pending.values()) this.socket.send(message);
      this.emit("open");
    });
    socket.addEventListener("message", (event) => { if (socket === this.socket) this.receive(event.data); });
    socket.addEventListener("close", () => { if (socket === this.socket) this.closed(); });
  }

  receive(text) {
    this.lastMessage = Date.now();
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    const request = this.pending.get(message.id);
    if (request) {
      this.pending.delete(message.id);
      if (message.error) request.reject(new RequestError(message.error));
      else request.resolve(message.answer);
    } else if (message.event) {
      this.emit(message.event, message);
    }
  }

  closed() {
    this.isOpen = false;
    this.socket = null;
    this.emit("close");
    for (const [id, request] of this.pending) {
      if (!request.once) continue;
      this.pending.delete(id);
      request.reject(new RequestError({ code: "closed", text: "The connection was lost." }));
    }
    const delay = Math.min(15000, 400 * 2 ** this.failures) * (0.75 + Math.random() / 2);
    this.failures += 1;
    this.timer = setTimeout(() => this.connect(), delay);
  }

  // Connects at once if disconnected.
  retry() {
    if (this.timer) this.connect();
  }

  // Detects a dead connection, such as after suspending the computer.
  check() {
    const now = Date.now();
    const wasSuspended = now - this.lastCheck > SUSPENDED;
    this.lastCheck = now;
    const oldest = this.pending.values().next().value;
    const isStuck = (oldest || !this.isOpen) && now - Math.max(oldest?.since ?? 0, this.lastMessage) > TIMEOUT;
    // The server sends its status every second.
    const isSilent = now - this.lastMessage > SUSPENDED;
    if (!this.socket || !(wasSuspended || isStuck || isSilent)) return;
    const socket = this.socket;
    this.closed();
    socket.close();
    this.failures = 0;
    this.retry();
  }

  // Sends a request. `once`: fails after a lost connection instead of being sent again.
  ask(ask, fields = {}, once = false) {
    const id = this.next++;
    const message = JSON.stringify({ id, ask, ...fields });
    return new Promise((resolve, reject) => {
      if (once && !this.isOpen) {
        reject(new RequestError({ code: "closed", text: "Not connected to the server." }));
        return;
      }
      this.pending.set(id, { message, resolve, reject, once, since: Date.now() });
      if (this.isOpen) this.socket.send(message);
    });
  }
}

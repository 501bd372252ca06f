// The rows of the queue, ordered by dragging, buttons and keys.

import { button, find, hide, make, setText, set, sync } from "./dom.js";
import { grouped, plural, score, short } from "./text.js";

// Rows drawn at once.
const ROWS = 100;
// Distance in pixels at which a press becomes a drag.
const SLACK = 5;

// A duration with its unit.
export const span = (ms) => {
  const [unit, size] = [["d", 86400000], ["h", 3600000], ["min", 60000], ["s", 1000]].find(([, size]) => ms >= size) ?? ["s", 1000];
  return `${Number((ms / size).toFixed(1))} ${unit}`;
};

const budgetText = (budget, clockOffset) => {
  if (!budget) return "no end";
  const [[field, value]] = Object.entries(budget);
  // By the clock of the browser, to the nearest minute.
  if (field === "until") return `until ${new Date(value - clockOffset + 30000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`;
  return { depth: `depth ${value}`, nodes: `${short(value)} nodes`, time_ms: span(value), time_ms_each: `${span(value)} a move` }[field];
};

export class Rows {
  constructor(queue) {
    Object.assign(this, { queue, max: ROWS, drag: null });
    this.list = find("#positions");
    this.list.addEventListener("click", (event) => {
      const act = event.target.closest("button");
      if (!act || this.dragged) return;
      const entry = this.entryOf(act);
      const acts = { open: () => queue.press(entry), remove: () => queue.remove([entry]), pause: () => queue.pause(entry), extend: () => queue.extend(entry), up: () => queue.shift(entry, -1), down: () => queue.shift(entry, 1) };
      acts[act.dataset.act]();
    });
    this.list.addEventListener("keydown", (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      const entry = this.entryOf(event.target);
      if (!by || !event.altKey || !entry) return;
      event.preventDefault();
      queue.shift(entry, by);
    });
    this.list.addEventListener("pointerdown", (event) => this.press(event));
    document.addEventListener("keydown", (event) => { if (event.key === "Escape" && this.drag) this.end(false); });
    find("#queue-more").addEventListener("click", () => { this.max += ROWS; queue.redraw(); });
    find("#queue-show").addEventListener("change", () => { this.max = ROWS; queue.redraw(); });
  }

  entryOf(element) {
    return Number(element.closest("li")?.dataset.entry);
  }

  draw() {
    const { queue } = this;
    const show = find("#queue-show").value;
    const all = show === "all" ? queue.all : queue.all.filter(({ state }) => (state === "done") === (show === "done"));
    this.shown = all;
    hide(find("#queue-show").parentElement, show === "all" && queue.entries.size < 10);
    hide(find("#queue-more"), all.length <= this.max);
    setText(find("#queue-more"), `Show more (${grouped(all.length - this.max)} are not shown)`);
    // After a restart of the server, an entry may have the number of another one.
    const items = all.slice(0, this.max).map((row) => ({ key: `${row.entry} ${row.kind} ${row.name}`, row, isChosen: row.entry === queue.chosen }));
    const { activeElement } = document;
    const at = [...this.list.children].findIndex((row) => row.contains(activeElement));
    sync(this.list, items, ({ row }) => this.build(row), (element, item) => this.update(element, item));
    // Keys apply to the board once the focused row or button is gone.
    if (at < 0 || (activeElement.isConnected && !activeElement.hidden)) return;
    const near = this.list.children[Math.min(at, this.list.children.length - 1)];
    (near ? find(".game", near) : find("#add-what")).focus({ preventScroll: true });
  }

  build({ entry, name, kind }) {
    const act = (act, text, title) => button(text, { class: "plain", "data-act": act, title, "aria-label": `${act} ${name}` });
    const isGame = kind === "game";
    const open = button("", { class: "game", "data-act": "open", "aria-keyshortcuts": "Alt+ArrowUp Alt+ArrowDown", "aria-controls": isGame ? null : "queue-detail", title: isGame ? "open the game with its report" : null });
    open.append(make("span", { class: "players" }, name), make("span", { class: "faint" }), make("progress", { max: 1, "aria-label": "done" }));
    return make("li", { "data-entry": entry }, make("span", { class: "grip", "aria-hidden": "true" }, "⠿"), open, make("span", { class: "updown" }, act("up", "▴", "up (Alt-↑)"), act("down", "▾", "down (Alt-↓)")), act("pause", "Ⅱ", "pause"), act("extend", "+", "search on"), act("remove", "×", "remove"));
  }

  // Updates only changed rows.
  update(element, { row, isChosen }) {
    if (element.row === row && element.isChosen === isChosen) return;
    Object.assign(element, { row, isChosen });
    const [, open, , pause, extend] = element.children;
    const [, facts, progress] = open.children;
    const isGame = row.kind === "game";
    const part = row.state === "done" ? 0 : row.progress;
    set(element, "data-state", row.state);
    set(open, "aria-expanded", isGame ? null : String(isChosen));
    // Read-only visitors cannot make the report.
    set(open, "disabled", isGame && !row.board && document.body.classList.contains("view"));
    const found = isGame ? `${row.found} of ${plural(row.positions, "position")}` : row.score && `${score(row.score)} ${row.best} · depth ${row.depth}`;
    setText(facts, [row.state, part && `${Math.floor(100 * part)} %`, found, budgetText(row.budget, this.queue.clockOffset)].filter(Boolean).join(" · "));
    hide(progress, !part);
    set(progress, "value", part);
    set(pause, "aria-pressed", String(row.paused));
    hide(pause, row.state === "done");
    hide(extend, row.state !== "done" || !row.budget);
  }

  // Touches drag only by the grip, and scroll elsewhere.
  press(event) {
    const row = event.target.closest("li");
    this.dragged = false;
    if (!row || event.button !== 0 || event.target.closest(".plain") || document.body.classList.contains("view")) return;
    if (event.pointerType !== "mouse" && !event.target.closest(".grip")) return;
    const start = event.clientY;
    const listeners = {
      pointermove: ({ clientY }) => {
        if (!this.drag && Math.abs(clientY - start) <= SLACK) return;
        if (!this.drag) row.setPointerCapture(event.pointerId);
        row.classList.add("dragged");
        row.style.transform = `translateY(${clientY - start}px)`;
        this.over(row, clientY);
      },
      pointerup: () => this.end(true),
      pointercancel: () => this.end(false),
    };
    for (const [name, call] of Object.entries(listeners)) document.addEventListener(name, call);
    this.stop = () => { for (const [name, call] of Object.entries(listeners)) document.removeEventListener(name, call); };
  }

  // Marks the row before the drop position.
  over(row, y) {
    const others = [...this.list.children].filter((other) => other !== row);
    const next = others.find((other) => { const box = other.getBoundingClientRect(); return y < box.top + box.height / 2; });
    for (const other of others) other.classList.toggle("over", other === next);
    this.list.classList.toggle("over", !next);
    this.drag = { row, next, last: others[others.length - 1] };
    const panel = this.list.closest("[role=tabpanel]");
    const box = panel.getBoundingClientRect();
    if (y < box.top + 30) panel.scrollTop -= 12;
    else if (y > box.bottom - 30) panel.scrollTop += 12;
  }

  end(isDropped) {
    this.stop();
    const { drag, queue } = this;
    this.drag = null;
    if (!drag) return;
    // Ignores the click that follows.
    this.dragged = true;
    setTimeout(() => { this.dragged = false; });
    drag.row.classList.remove("dragged");
    drag.row.style.transform = "";
    for (const one of [this.list, ...this.list.children]) one.classList.remove("over");
    if (!isDropped || !drag.last) return;
    const { all } = queue;
    const after = (row) => all[all.findIndex(({ entry }) => entry === this.entryOf(row)) + 1]?.entry ?? null;
    const [entry, before] = [this.entryOf(drag.row), drag.next ? this.entryOf(drag.next) : after(drag.last)];
    if (before !== entry && after(drag.row) !== before) queue.move(entry, before);
  }
}

// The rows of the queue: their texts, and their order by dragging, buttons and keys.

import { announce } from "./say.js";
import { button, find, hide, make, say, set, sync } from "./dom.js";
import { grouped, plural, score, short } from "./text.js";

// Rows that are drawn at once.
const ROWS = 100;
// Pixels that a pointer moves before it drags.
const SLACK = 5;

// A time in words.
export const span = (ms) => {
  const [unit, size] = [["d", 86400000], ["h", 3600000], ["min", 60000], ["s", 1000]].find(([, size]) => ms >= size) ?? ["s", 1000];
  return `${Number((ms / size).toFixed(1))} ${unit}`;
};

const budgetText = (budget) => {
  if (!budget) return "no end";
  const [[field, value]] = Object.entries(budget);
  if (field === "until") return `until ${new Date(value).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`;
  return { depth: `depth ${value}`, nodes: `${short(value)} nodes`, time_ms: span(value), time_ms_each: `${span(value)} a move` }[field];
};

export class Rows {
  constructor(queue) {
    Object.assign(this, { queue, most: ROWS, drag: null });
    this.list = find("#positions");
    this.list.addEventListener("click", (event) => {
      const act = event.target.closest("button");
      if (!act || this.dragged) return;
      const entry = this.entryOf(act);
      const acts = { open: () => queue.press(entry), remove: () => queue.remove([entry]), pause: () => queue.pause(entry), up: () => queue.shift(entry, -1), down: () => queue.shift(entry, 1) };
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
    document.addEventListener("keydown", (event) => { if (event.key === "Escape" && this.drag) this.end(null); });
    find("#queue-more").addEventListener("click", () => { this.most += ROWS; queue.redraw(); });
    find("#queue-show").addEventListener("change", () => { this.most = ROWS; queue.redraw(); });
  }

  entryOf(element) {
    return Number(element.closest("li")?.dataset.entry);
  }

  draw() {
    const { queue } = this;
    const show = find("#queue-show").value;
    const all = show === "all" ? queue.all : queue.all.filter(({ state }) => (state === "done") === (show === "done"));
    hide(find("#queue-show").parentElement, queue.entries.size < 10);
    hide(find("#queue-more"), all.length <= this.most);
    say(find("#queue-more"), `Show more (${grouped(all.length - this.most)} are not shown)`);
    const items = all.slice(0, this.most).map((row) => ({ key: row.entry, row, isChosen: row.entry === queue.chosen }));
    sync(this.list, items, ({ key }) => this.build(key), (element, item) => this.update(element, item));
  }

  build(entry) {
    const act = (name, text, title) => button(text, { class: "plain", "data-act": name, title });
    const grip = make("span", { class: "grip", "aria-hidden": "true" }, "⠿");
    const open = button("", { class: "game", "data-act": "open", "aria-keyshortcuts": "Alt+ArrowUp Alt+ArrowDown" }, make("span", { class: "players" }), make("span", { class: "faint" }), make("progress", { max: 1 }));
    return make("li", { "data-entry": entry }, grip, open, make("span", { class: "updown" }, act("up", "▴", "up (Alt-↑)"), act("down", "▾", "down (Alt-↓)")), act("pause", "", ""), act("remove", "×", "remove"));
  }

  // An element is changed only with its row.
  update(element, { row, isChosen }) {
    if (element.row === row && element.isChosen === isChosen) return;
    Object.assign(element, { row, isChosen });
    const [, open, updown, pause, remove] = element.children;
    const [name, facts, progress] = open.children;
    const isGame = row.kind === "game";
    set(element, "data-state", row.state);
    set(open, "aria-expanded", isGame ? null : String(isChosen));
    set(open, "aria-controls", isGame ? null : "queue-detail");
    set(open, "title", isGame ? "open the game with its report" : null);
    say(name, row.name);
    const found = isGame ? `${row.found} of ${plural(row.positions, "position")}` : row.score ? `${score(row.score)} ${row.best ?? ""} · depth ${row.depth}` : "";
    const part = row.progress === null || row.state === "done" ? "" : `${Math.floor(100 * row.progress)} %`;
    say(facts, [`${row.state}${row.paused && row.state === "searching" ? ", pausing" : ""}`, part, found, budgetText(row.budget)].filter(Boolean).join(" · "));
    hide(progress, row.progress === null || row.state === "done" || !row.progress);
    set(progress, "value", row.progress);
    set(progress, "aria-label", `done of ${row.name}`);
    const labels = [[updown.children[0], `move ${row.name} up`], [updown.children[1], `move ${row.name} down`], [pause, `${row.paused ? "resume" : "pause"} ${row.name}`], [remove, `remove ${row.name}`]];
    for (const [one, label] of labels) set(one, "aria-label", label);
    say(pause, row.paused ? "▸" : "Ⅱ");
    set(pause, "title", row.paused ? "resume" : "pause");
    hide(pause, row.state === "done");
  }

  // A finger drags by the grip, so that it can scroll elsewhere.
  press(event) {
    const row = event.target.closest("li");
    const grip = event.target.closest(".grip");
    this.dragged = false;
    if (!row || event.button !== 0 || document.body.classList.contains("view") || (event.pointerType !== "mouse" && !grip)) return;
    if (event.target.closest(".plain")) return;
    const start = event.clientY;
    const move = (moved) => {
      if (!this.drag && Math.abs(moved.clientY - start) <= SLACK) return;
      if (!this.drag) {
        this.drag = { row, end };
        row.classList.add("dragged");
        row.setPointerCapture(event.pointerId);
      }
      row.style.transform = `translateY(${moved.clientY - start}px)`;
      this.over(moved.clientY);
      moved.preventDefault();
    };
    const up = () => this.end(this.drag ? this.drag.before : null, true);
    const end = () => {
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointerup", up);
      document.removeEventListener("pointercancel", cancel);
    };
    const cancel = () => this.end(null);
    this.drag = null;
    this.stop = end;
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", up);
    document.addEventListener("pointercancel", cancel);
  }

  // Marks the row before which the dragged one would be.
  over(y) {
    const rows = [...this.list.children].filter((row) => row !== this.drag.row);
    const next = rows.find((row) => { const box = row.getBoundingClientRect(); return y < box.top + box.height / 2; }) ?? null;
    for (const row of rows) row.classList.toggle("over", row === next);
    this.list.classList.toggle("over", next === null);
    this.drag.next = next;
    const panel = this.list.closest("[role=tabpanel]");
    const box = panel.getBoundingClientRect();
    if (y < box.top + 30) panel.scrollTop -= 12;
    else if (y > box.bottom - 30) panel.scrollTop += 12;
  }

  end(_, isDropped = false) {
    this.stop();
    const { drag, queue } = this;
    this.drag = null;
    if (!drag) return;
    // The click that follows is none.
    this.dragged = true;
    setTimeout(() => { this.dragged = false; }, 50);
    drag.row.classList.remove("dragged");
    drag.row.style.transform = "";
    for (const row of [this.list, ...this.list.children]) row.classList.remove("over");
    if (!isDropped) return;
    const entry = this.entryOf(drag.row);
    const { all } = queue;
    // Behind the last one that is shown.
    const last = this.entryOf([...this.list.children].filter((row) => row !== drag.row).pop() ?? drag.row);
    const before = drag.next ? this.entryOf(drag.next) : all[all.findIndex((row) => row.entry === last) + 1]?.entry ?? null;
    if (before === entry || all[all.findIndex((row) => row.entry === entry) + 1]?.entry === before) return;
    queue.move(entry, before).then(() => announce(`place ${queue.all.findIndex((row) => row.entry === entry) + 1} of ${queue.all.length}`));
  }
}

// The queue of positions and games, shared by all visitors.

import { announce, fail, notice } from "./notices.js";
import { drawCourse } from "./course.js";
import { find, hide, make, setText, set, soon, sync } from "./dom.js";
import { Rows } from "./rows.js";
import { grouped, numbered, plural, score, time } from "./text.js";

// Units of a budget: field and factor.
const UNITS = {
  s: ["time_ms", 1000], min: ["time_ms", 60000], h: ["time_ms", 3600000], "s-each": ["time_ms_each", 1000], "min-each": ["time_ms_each", 60000],
  depth: ["depth", 1], nodes: ["nodes", 1e6],
};

export class Queue {
  constructor(session, link) {
    Object.assign(this, { session, link, entries: new Map(), chosen: null, isPaused: false, endTime: null, clockOffset: 0, awaited: 0, unstored: "", server: {}, detail: null });
    this.redraw = soon(() => this.draw());
    this.rows = new Rows(this);
    link.on("queue", (event) => this.receive(event));
    link.on("status", (status) => { this.server = status; this.redraw(); });
    link.on("close", () => { this.server = {}; this.redraw(); });
    find("#add").addEventListener("submit", (event) => {
      event.preventDefault();
      this.add().catch((error) => { setText(find("#queue-error"), error.message); announce(error.message); });
    });
    find("#budget-unit").addEventListener("change", () => this.drawForm());
    find("#pause").addEventListener("click", () => this.ask("queue-pause", { paused: !this.isPaused }));
    find("#queue-clear").addEventListener("click", () => this.remove([...this.entries.values()].filter(({ state }) => state === "done").map(({ entry }) => entry)));
    find("#queue-open").addEventListener("click", () => this.open(this.chosen));
  }

  // Requests a change, not repeated after a lost connection.
  ask(ask, fields) {
    return this.link.ask(ask, fields, true).catch(fail);
  }

  receive(event) {
    const { entries } = this;
    if (event.whole) {
      entries.clear();
      this.awaited = event.count;
    }
    this.isPaused = event.paused;
    this.unstored = event.unstored;
    // Ignores clock differences that may be network delay.
    const offset = event.now - Date.now();
    this.clockOffset = Math.abs(offset) > 5000 ? offset : 0;
    this.endTime = event.time_left === null ? null : Date.now() + event.time_left;
    for (const number of event.gone ?? []) entries.delete(number);
    for (const row of event.entries) {
      const before = entries.get(row.entry);
      entries.set(row.entry, row);
      if (before && before.state !== row.state && row.state === "done") announce(`${row.name} done`);
      if (before?.rank !== row.rank) this.sorted = null;
      if (row.entry === this.chosen) this.loadDetail();
    }
    if (event.whole || event.gone?.length) this.sorted = null;
    // The rest of a large queue follows.
    if (entries.size < this.awaited) return;
    this.awaited = 0;
    if (this.chosen !== null && !entries.has(this.chosen)) this.chosen = null;
    this.redraw();
  }

  // The entries by rank.
  get all() {
    this.sorted ??= [...this.entries.values()].sort((a, b) => a.rank - b.rank || a.entry - b.entry).map(({ entry }) => entry);
    return this.sorted.map((entry) => this.entries.get(entry));
  }

  budget() {
    const unit = find("#budget-unit").value;
    if (unit === "none") return null;
    if (unit === "until") {
      const until = find("#budget-until").value;
      if (!until) throw new Error("Expected a time of day, such as 07:00.");
      return { until: this.next(...until.split(":").map(Number)) };
    }
    const [field, size] = UNITS[unit];
    const value = Number(find("#budget").value);
    if (!(value > 0)) throw new Error(`“${find("#budget").value}” is not a budget; expected a number above 0.`);
    return { [field]: Math.max(1, Math.round(value * size)) };
  }

  // The next moment at a time of day of the browser, by the clock of the server.
  next(hours, minutes) {
    const moment = new Date();
    moment.setHours(hours, minutes, 0, 0);
    if (!(moment.getTime() > Date.now())) moment.setDate(moment.getDate() + 1);
    return Math.round(moment.getTime() + this.clockOffset);
  }

  put(fields) {
    return this.link.ask("queue-add", { ...fields, budget: this.budget(), lines: Number(find("#queue-lines").value) || 1 }, true);
  }

  // Adds games of a file that was read, except those without moves, which the server refuses. Continues after an error, such as a lost
  // connection.
  async addGames(file, games) {
    const key = JSON.stringify([file, games]);
    if (this.adding?.key !== key) this.adding = { key, at: 0, skipped: 0 };
    const { adding } = this;
    const rest = () => (adding.skipped ? `, ${adding.skipped} without moves` : "");
    while (adding.at < games.length) {
      const { document } = await this.link.ask("game", { file, index: games[adding.at] });
      if (document.nodes.length > 1) await this.put({ document });
      else adding.skipped += 1;
      adding.at += 1;
      setText(find("#reading"), `${adding.at - adding.skipped} of ${games.length} added${rest()}`);
    }
    this.adding = null;
    announce(`${games.length - adding.skipped} games added${rest()}`);
  }

  // Adds the position on the board, or its game, with a budget.
  async add() {
    const { tree } = this.session;
    const isGame = find("#add-what").value === "game";
    setText(find("#queue-error"), "");
    const { entry } = await this.put(isGame ? { document: tree.document() } : tree.place());
    announce(isGame ? "game added" : "position added");
    if (!isGame) this.choose(entry);
  }

  drawForm() {
    const unit = find("#budget-unit").value;
    hide(find("#budget"), ["until", "none"].includes(unit));
    hide(find("#budget-until"), unit !== "until");
  }

  move(entry, before) {
    return this.ask("queue-move", { entry, before });
  }

  // Moves an entry up or down among the shown ones.
  shift(entry, by) {
    const { all, rows: { shown } } = this;
    const at = shown.findIndex((row) => row.entry === entry);
    const other = shown[at + by];
    if (at < 0 || !other) return;
    const place = all.findIndex((row) => row.entry === other.entry);
    this.move(entry, all[by > 0 ? place + 1 : place]?.entry ?? null);
    announce(`position ${at + by + 1} of ${shown.length}`);
  }

  pause(entry) {
    return this.ask("queue-pause", { entry, paused: !this.entries.get(entry).paused });
  }

  // Searches a finished entry on: five plies deeper, until the same time of day, or for twice the budget.
  extend(entry) {
    const [[field, value]] = Object.entries(this.entries.get(entry).budget);
    // To the nearest minute, as shown.
    const then = new Date(value - this.clockOffset + 30000);
    return this.ask("queue-extend", { entry, budget: { [field]: field === "until" ? this.next(then.getHours(), then.getMinutes()) : field === "depth" ? value + 5 : 2 * value } });
  }

  remove(entries) {
    if (!entries.length) return;
    const name = entries.length === 1 ? `“${this.entries.get(entries[0]).name}”` : `${entries.length} entries`;
    this.ask("queue-remove", { entries }).then((done) => {
      if (done) notice(`${name} removed.`, { label: "Undo", seconds: 20, call: () => this.ask("queue-restore", { entries }) });
    });
  }

  // Shows or hides the lines of a position, or opens a game with its report.
  press(entry) {
    if (this.entries.get(entry).kind === "game") this.open(entry);
    else this.choose(this.chosen === entry ? null : entry);
  }

  choose(entry) {
    this.chosen = entry;
    this.detail = null;
    this.redraw();
    if (entry !== null) this.loadDetail();
  }

  // Loads the lines of the chosen position, one request at a time.
  async loadDetail() {
    const entry = this.chosen;
    const row = this.entries.get(entry);
    if (this.isLoading || entry === null || row?.kind === "game") return;
    this.isLoading = true;
    try {
      const detail = await this.link.ask("queue-look", { entry });
      if (entry === this.chosen) this.detail = detail;
    } catch {
      // The entry was removed.
    } finally {
      this.isLoading = false;
    }
    // Another entry was chosen, or there was an update meanwhile.
    if (this.entries.get(this.chosen) !== row) this.loadDetail();
    this.redraw();
  }

  async open(entry) {
    if (!this.entries.has(entry)) return;
    try {
      const { board, ...place } = await this.link.ask("queue-open", { entry });
      if (board) await this.onBoard(board);
      else this.onOpen(place);
    } catch (error) {
      fail(error);
    }
  }

  draw() {
    const { all, link, server } = this;
    const done = all.filter(({ state }) => state === "done").length;
    set(find("#progress"), "max", Math.max(1, all.length));
    set(find("#progress"), "value", done);
    const away = this.endTime - Date.now();
    const day = away > 5e8 ? { day: "numeric", month: "short" } : away > 7e7 ? { weekday: "short" } : {};
    const at = this.endTime && ` · done about ${new Date(this.endTime + 30000).toLocaleString([], { ...day, hour: "2-digit", minute: "2-digit" })}`;
    const { engines, threads, hash_mib: hash, searching, waiting } = server;
    const has = (wanted) => all.some(({ state }) => state === wanted);
    const isHeld = has("waiting") && !has("searching") && searching >= engines;
    const held = this.isPaused ? " · paused" : isHeld ? " · waits for an engine: boards come first" : "";
    setText(find("#queue-done"), all.length ? `${done} of ${all.length} done${held || (at ?? "")}` : "The queue is empty.");
    setText(find("#queue-unstored"), this.unstored);
    setText(find("#queue-count"), all.length ? `${done}/${all.length}` : "");
    setText(find("#pause"), this.isPaused ? "Resume" : "Pause");
    set(find("#pause"), "disabled", !link.isOpen);
    hide(find("#queue-clear"), !done);
    const nps = all.reduce((sum, row) => sum + row.nps, 0);
    setText(find("#server"), !link.isOpen ? "not connected; reconnecting" : engines ? `${plural(engines, "engine")}, ${plural(threads, "thread")}, ${hash} MiB${searching ? ` · ${searching} searching` : ""}${waiting ? `, ${waiting} waiting` : ""}${nps ? ` · ${grouped(nps)}/s` : ""}` : "");
    this.rows.draw();
    this.drawDetail(this.entries.get(this.chosen));
  }

  drawDetail(row) {
    hide(find("#queue-detail"), !row || row.kind === "game");
    if (find("#queue-detail").hidden) return;
    const { fen, depth, seldepth, lines, graph } = this.detail ?? { lines: [], graph: [] };
    setText(find("#queue-numbers"), lines.length ? `depth ${depth}/${seldepth}, ${grouped(row.nodes)} nodes, ${time(row.time_ms)}${row.nps ? `, ${grouped(row.nps)}/s` : ""}` : row.state);
    const items = lines.map((line, key) => ({ key, text: numbered(fen, line.san).join(" "), value: score(line.score) }));
    sync(find("#queue-lines-of"), items, () => make("li", {}, make("b"), make("span")), (element, { text, value }) => {
      setText(element.children[0], value);
      setText(element.children[1], text);
    });
    const svg = find("#queue-graph");
    hide(svg.parentElement, graph.length < 2);
    if (graph.length < 2) return;
    drawCourse(svg, graph.map(([ms, , share]) => [ms, share / 1000]));
    for (const [id, [ms, reached]] of [["#queue-from", graph[0]], ["#queue-to", graph[graph.length - 1]]]) setText(find(id), `${time(ms)}, depth ${reached}`);
  }
}

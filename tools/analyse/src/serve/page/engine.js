// The engine panel: search settings and lines. Never shows lines of another position.

import { announce } from "./notices.js";
import { button, copy, find, findAll, hide, icon, make, setText, set, soon, store, sync } from "./dom.js";
import { grouped, numbered, percent, score, short, spoken, time } from "./text.js";

// Minimum milliseconds between searches.
const MIN_INTERVAL = 50;
// Maximum number of cached results.
const MAX_CACHED = 300;

// A score in PGN format.
const pgnScore = ({ score: { cp, mate }, depth }) => (mate === undefined ? `${(cp / 100).toFixed(2)},${depth}` : `#${mate}`);

export class Engine {
  constructor(session, link, preview) {
    Object.assign(this, { session, link, preview });
    this.isOn = false;
    this.count = store.get("lines", 3);
    this.isThreat = false;
    // The pinned place, searched independently of the board.
    this.pinned = null;
    // The result shown when a press began.
    this.heldResult = null;
    this.limit = store.get("limit", "");
    // Marked moves by position.
    this.choice = "all";
    this.marked = new Map();
    this.current = null;
    this.result = null;
    this.cache = new Map();
    this.sent = 0;
    this.number = 0;
    this.open = new Set();
    this.listeners = [];
    this.panel = find("#engine");
    this.redraw = soon(() => this.draw());
    this.build();
    link.on("lines", (event) => this.receive(event));
    link.on("open", () => { this.current = null; this.update(); });
    link.on("close", () => { this.redraw(); });
    session.on(() => { this.update(); this.redraw(); });
  }

  on(call) {
    this.listeners.push(call);
  }

  build() {
    const change = (selector, call) => find(selector).addEventListener("change", (event) => { call(event.target); this.update(); this.redraw(); });
    find("#engine-on").addEventListener("click", () => this.toggle());
    change("#lines-count", (field) => { this.setCount(Number(field.value)); });
    change("#limit-engine", (field) => { this.limit = field.value; store.set("limit", field.value); });
    change("#choice", (field) => { this.choice = field.value; });
    find("#threat").addEventListener("click", () => this.toggleThreat());
    find("#pin").addEventListener("click", () => {
      this.pinned = this.pinned ? null : this.session.tree.place();
      this.update();
      this.redraw();
    });
    find("#pinned").addEventListener("click", () => this.session.go(this.session.nodeOf(this.pinned)));
    find("#lines-count").value = this.count;
    find("#limit-engine").value = this.limit;
    find("#candidates").addEventListener("click", (event) => {
      const uci = event.target.closest("button")?.dataset.uci;
      if (uci) this.mark(uci);
    });
    const list = find("#lines");
    // Freezes the lines during a press.
    list.addEventListener("pointerdown", (event) => {
      // The release after a press that opens a menu may not be reported.
      if (event.button !== 0 || event.ctrlKey) return;
      clearTimeout(this.release);
      this.heldResult = this.shown;
    });
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => { if (this.heldResult) this.release = setTimeout(() => { this.heldResult = null; this.redraw(); }); });
    list.addEventListener("click", (event) => this.click(event));
    const show = (event) => this.show(event.target.closest("[data-ply]"));
    list.addEventListener("pointerover", (event) => { if (event.pointerType === "mouse") show(event); });
    list.addEventListener("focusin", (event) => { if (event.target.matches(":focus-visible")) show(event); });
    for (const end of ["pointerleave", "focusout"]) list.addEventListener(end, () => this.show(null));
    list.addEventListener("keydown", (event) => this.navigate(event));
  }

  setCount(count) {
    this.count = Math.max(1, Math.min(10, Math.round(count) || 1));
    find("#lines-count").value = this.count;
    store.set("lines", this.count);
  }

  toggle(isOn = !this.isOn) {
    this.isOn = isOn;
    announce(isOn ? "engine on" : "engine off");
    this.update();
    this.redraw();
  }

  toggleThreat() {
    this.isThreat = !this.isThreat;
    if (this.isThreat && !this.isOn) this.toggle(true);
    announce(this.isThreat ? "showing the threat" : "threat off");
    this.update();
    this.redraw();
  }

  // The search that should run now.
  wantedSearch() {
    const place = this.pinned ?? this.session.tree.place();
    const [limit, max] = this.limit.split(" ");
    const marked = [...(this.marked.get(JSON.stringify(place)) ?? [])];
    const search = { ...place, lines: this.count };
    if (this.isThreat) search.threat = true;
    if (marked.length && this.choice === "only") search.search = marked;
    if (marked.length && this.choice === "without") search.avoid = marked;
    if (max) search.limit = { [limit]: Number(max) };
    if (limit === "watch") search.watch = true;
    return search;
  }

  // Starts or stops the search, with a minimum interval between searches.
  update() {
    clearTimeout(this.timer);
    const search = this.isOn ? this.wantedSearch() : null;
    const signature = search && JSON.stringify(search);
    if (signature === (this.current?.signature ?? null)) return;
    // Hides old lines at once.
    if (this.result && this.result.signature !== signature) this.result = null;
    if (!search) {
      this.current = null;
      this.result = null;
      if (this.link.isOpen) this.link.ask("stop", {}, true).catch(() => {});
      return;
    }
    const known = this.cache.get(signature);
    if (known && !this.result) this.result = known;
    const rest = MIN_INTERVAL - (performance.now() - this.sent);
    if (rest > 0) this.timer = setTimeout(() => this.update(), rest);
    else this.send(search, signature);
  }

  send(search, signature) {
    if (!this.link.isOpen) return;
    this.sent = performance.now();
    this.number += 1;
    const current = { key: `search-${this.number}`, signature, search };
    this.current = current;
    this.error = null;
    this.link.ask("analyse", { key: current.key, ...search }, true).catch((error) => {
      if (this.current !== current || error.code === "closed") return;
      this.error = error.message;
      this.redraw();
    });
  }

  receive(event) {
    if (event.key !== this.current?.key) return;
    const { signature, search } = this.current;
    const result = { ...event, signature, search };
    this.cache.delete(signature);
    this.cache.set(signature, result);
    if (signature === JSON.stringify(this.wantedSearch())) this.result = result;
    if (this.cache.size > MAX_CACHED) this.cache.delete(this.cache.keys().next().value);
    this.redraw();
  }

  // The result of the wanted search, if any.
  get currentResult() {
    return this.isOn && this.result?.signature === JSON.stringify(this.wantedSearch()) ? this.result : null;
  }

  // Whether the lines belong to the position on the board.
  get isHere() {
    return !this.pinned || JSON.stringify(this.pinned) === this.session.key();
  }

  mark(uci) {
    const key = JSON.stringify(this.pinned ?? this.session.tree.place());
    const marked = new Set(this.marked.get(key));
    if (!marked.delete(uci)) marked.add(uci);
    this.marked.set(key, marked);
    if (this.choice === "all") {
      this.choice = "only";
      find("#choice").value = "only";
    }
    this.update();
    this.redraw();
  }

  // Draws the panel, and notifies board and bar.
  draw() {
    const result = this.currentResult;
    this.drawHead(result);
    for (const call of this.listeners) call(result);
    const selection = document.getSelection();
    const isSelecting = selection && !selection.isCollapsed && find("#lines").contains(selection.anchorNode);
    if ((this.heldResult || isSelecting) && result && this.shown?.signature === result.signature) return;
    this.shown = result;
    this.drawLines(result);
    this.drawCandidates();
  }

  drawHead(result) {
    const { link, session } = this;
    const best = result?.lines[0];
    const over = session.info?.over;
    set(find("#engine-on"), "aria-checked", String(this.isOn));
    set(find("#threat"), "aria-pressed", String(this.isThreat));
    set(find("#pin"), "aria-pressed", String(Boolean(this.pinned)));
    this.panel.classList.toggle("off", !this.isOn);
    this.panel.classList.toggle("threat", this.isThreat);
    setText(find("#score"), best ? score(best.score) : "–");
    setText(find("#expected"), best ? percent(best.expected) : "");
    set(find("#score"), "aria-label", best ? spoken(best.score) : "no score");
    const states = { searching: "searching", done: "done", stopped: "stopped", waiting: "waiting for an engine", watching: result?.lines.length ? "found earlier" : "not searched yet" };
    const isOver = over && this.isHere;
    let state = "";
    if (!link.isOpen) state = "not connected";
    else if (this.isOn && this.error) state = this.error;
    else if (isOver) state = `${over.result}, ${over.why}`;
    else if (this.isOn) state = states[result?.state] ?? "waiting";
    setText(find("#state"), this.isThreat && this.isOn ? `threat: ${state}` : state);
    this.panel.classList.toggle("running", this.isOn && link.isOpen && result?.state === "searching");
    const numbers = result ? { depth: result.depth && `${result.depth}/${result.seldepth}`, nodes: result.nodes && short(result.nodes), nps: result.nps && `${short(result.nps)}/s`, time: result.time_ms && time(result.time_ms), hash: result.hashfull && `${(result.hashfull / 10).toFixed(0)} %`, tb: result.tb_hits && short(result.tb_hits) } : {};
    for (const name of ["depth", "nodes", "nps", "time", "hash", "tb"]) setText(find(`#${name}`), numbers[name] || "–");
    set(find("#nodes"), "title", result ? `${grouped(result.nodes)} nodes` : null);
    hide(find("#tb").parentElement, !numbers.tb);
    hide(find("#pinned"), !this.pinned || this.isHere);
    if (!this.pinned || this.isHere) return;
    const { tree } = session;
    const id = session.nodeOf(this.pinned);
    const name = id === null ? "another analysis" : tree.name(id) || "the start";
    setText(find("#pinned"), `lines of ${name}, not of the board`);
    set(find("#pinned"), "disabled", id === null);
  }

  drawLines(result) {
    const lines = this.isOn ? result?.lines ?? [] : [];
    // Reserves rows for expected lines.
    const rows = this.isOn && !["done", "watching"].includes(result?.state) ? Math.max(lines.length, Math.min(this.count, this.rows ?? this.count)) : lines.length;
    if (result?.state === "done" || result?.depth > 2) this.rows = lines.length;
    if (!result) this.rows = this.count;
    const items = Array.from({ length: rows }, (_, at) => ({ key: at, line: lines[at] ?? null }));
    sync(find("#lines"), items, ({ key }) => this.buildLine(key), (row, { line, key }) => this.updateLine(row, line, key, result));
    if (this.pointed && !this.pointed.isConnected) this.show(null);
    else if (this.pointed) this.show(this.pointed);
  }

  buildLine(at) {
    const expand = button("", { class: "plain expand", "aria-expanded": "false", "aria-label": `all moves of line ${at + 1}`, "data-expand": at }, icon("more"));
    return make("li", { "data-line": at }, make("span", { class: "rank", "aria-hidden": "true" }), make("b"), make("span", { class: "pv" }), button("", { class: "plain copy", title: "copy this line", "aria-label": `copy line ${at + 1}`, "data-copy": at }, icon("copy")), expand);
  }

  updateLine(row, line, at, result) {
    const [rank, value, pv, , expand] = row.children;
    setText(rank, `${at + 1}`);
    setText(value, line ? (line.bound === "lower" ? "≥" : line.bound === "upper" ? "≤" : "") + score(line.score) : "…");
    value.classList.toggle("black", Boolean(line) && (line.expected ?? 0.5) < 0.5);
    set(value, "title", line ? `depth ${line.depth}${line.wdl ? `, White wins ${line.wdl[0] / 10} %, draws ${line.wdl[1] / 10} %, loses ${line.wdl[2] / 10} %` : ""}` : null);
    const words = line ? numbered(result.fen, line.san) : [];
    row.classList.toggle("open", this.open.has(at));
    set(expand, "aria-expanded", String(this.open.has(at)));
    // Tab reaches only the first move, arrow keys the others.
    sync(pv, words.map((text, key) => ({ key, text })), ({ key }) => button("", { class: "move", "data-ply": key, tabindex: key ? -1 : 0 }), (element, { text }) => setText(element, text));
  }

  drawCandidates() {
    const legal = this.pinned ? [] : this.session.info?.legal ?? [];
    const marked = this.marked.get(this.session.key()) ?? new Set();
    hide(find("#no-candidates"), legal.length > 0);
    if (!find("#restrict").open) return;
    const items = legal.map(({ uci, san }) => ({ key: uci, san })).sort((a, b) => a.san.localeCompare(b.san));
    sync(find("#candidates"), items, ({ key }) => button("", { class: "chip", "data-uci": key }), (element, { key, san }) => {
      setText(element, san);
      set(element, "aria-pressed", String(marked.has(key)));
    });
  }

  // The moves of a shown line up to a ply.
  upTo(at, ply) {
    const { shown } = this;
    const line = shown?.lines[at];
    if (!line) return null;
    return { search: shown.search, pv: [...(shown.search.threat ? ["0000"] : []), ...line.pv.slice(0, ply + 1)], fen: shown.fen, line };
  }

  async click(event) {
    const row = Number(event.target.closest("[data-line]")?.dataset.line);
    const expand = event.target.closest("[data-expand]");
    const move = event.target.closest("[data-ply]");
    if (expand) {
      if (!this.open.delete(row)) this.open.add(row);
      this.redraw();
      return;
    }
    // The position has changed since the press, so the element shows another move.
    if (this.heldResult && this.heldResult !== this.shown) return;
    if (event.target.closest("[data-copy]")) {
      const { shown } = this;
      const line = shown?.lines[row];
      if (line) announce((await copy(`${score(line.score)} ${numbered(shown.fen, line.san).join(" ")}`)) ? "line copied" : "copying failed");
    } else if (move) {
      this.show(null);
      await this.addLine(row, Number(move.dataset.ply));
    }
  }

  // Adds a line up to a ply to the tree.
  async addLine(at, ply) {
    const found = this.upTo(at, ply);
    if (!found) return;
    const { session } = this;
    const from = session.nodeOf(found.search);
    try {
      if (from === null) throw new Error("The lines are of another analysis.");
      // Bounds are no evaluations.
      const isExact = !found.search.threat && found.line.bound === "exact";
      await session.addLine(from, found.pv, isExact ? pgnScore(found.line) : null);
    } catch (error) {
      this.onError?.(error);
    }
  }

  // Speaks the score and the best line.
  speak() {
    const result = this.currentResult;
    const line = result?.lines[0];
    announce(line ? `${spoken(line.score)}, depth ${result.depth}. ${numbered(result.fen, line.san.slice(0, 5)).join(" ")}` : this.isOn ? "no line yet" : "the engine is off");
  }

  // Stores the score of the position on the board with its move.
  keep() {
    const { session } = this;
    const { lines: [line] = [], search } = this.currentResult ?? {};
    if (line?.bound !== "exact" || !this.isHere || this.isThreat || search.search || search.avoid || session.tree.at === 0) return announce("no score to keep");
    session.edit((tree) => tree.setNode(tree.at, { eval: pgnScore(line) }));
    announce(`kept: ${spoken(line.score)}`);
  }

  // Plays the best move of the position on the board.
  best() {
    const line = this.currentResult?.lines[0];
    const move = line && this.isHere && !this.isThreat && this.session.legal?.find(({ uci }) => uci === line.pv[0]);
    if (move) this.session.play(move);
    else announce("no best move yet");
  }

  // Previews the position after a move of a line while it is pointed at.
  show(element) {
    this.pointed = element;
    const found = element && this.upTo(Number(element.closest("[data-line]").dataset.line), Number(element.dataset.ply));
    if (!found) this.preview.hide();
    else this.preview.show(element, { start: found.search.start, chess960: found.search.chess960, moves: found.search.moves }, found.pv);
  }

  // Arrow keys navigate the moves of the lines.
  navigate(event) {
    const move = event.target.closest("[data-ply]");
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!move || !step) return;
    event.preventDefault();
    event.stopPropagation();
    const row = findAll("#lines > li")[Number(move.closest("[data-line]").dataset.line) + step[0]];
    const next = row && find(`[data-ply="${Number(move.dataset.ply) + step[1]}"]`, row);
    next?.focus();
    next?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

// The analysis on the page: tree, current position, cached position information, and address.

import { store } from "./dom.js";
import { markOf } from "./text.js";
import { blank, Tree } from "./tree.js";

// Maximum number of cached positions.
const MAX_INFOS = 500;
// Minimum milliseconds between requests about positions.
const MIN_INTERVAL = 50;
// Maximum moves of a request.
const MAX_MOVES = 200;

export class Session {
  constructor(link) {
    this.link = link;
    this.tree = new Tree(blank());
    // The saved analysis: id and version. `edits` counts changes, `saved` those saved on the server.
    this.board = null;
    this.name = "";
    // The report of the game, if searched by the queue.
    this.report = null;
    this.edits = 0;
    this.saved = 0;
    this.infos = new Map();
    this.pending = new Map();
    this.listeners = [];
  }

  // Listens to changes: `open`, `edit`, `go` or `info`.
  on(call) {
    this.listeners.push(call);
  }

  emit(what) {
    if (what !== "info") {
      clearTimeout(this.timer);
      const rest = MIN_INTERVAL - (performance.now() - (this.lastRequest ?? -MIN_INTERVAL));
      const load = () => { this.lastRequest = performance.now(); this.loadInfo(); };
      if (rest <= 0) load();
      else this.timer = setTimeout(load, rest);
    }
    for (const call of this.listeners) call(what);
  }

  get node() {
    return this.tree.node();
  }

  // The server's information about the current position, or null if not yet known.
  get info() {
    return this.infos.get(this.key()) ?? null;
  }

  // The legal moves; null if not yet known, empty if the server rejects the position.
  get legal() {
    return this.info?.legal ?? (this.refused === this.key() ? [] : null);
  }

  key(id = this.tree.at) {
    return JSON.stringify(this.tree.place(id));
  }

  // The node of a place, or null if the analysis does not have it.
  nodeOf({ start, chess960, moves }) {
    const id = this.tree.follow(moves);
    return this.key(id) === JSON.stringify({ start, chess960, moves }) ? id : null;
  }

  // Loads information about a position.
  async position(place) {
    const key = JSON.stringify(place);
    if (this.infos.has(key)) return this.infos.get(key);
    if (!this.pending.has(key)) this.pending.set(key, this.link.ask("position", place).finally(() => this.pending.delete(key)));
    const info = await this.pending.get(key);
    this.infos.set(key, info);
    if (this.infos.size > MAX_INFOS) this.infos.delete(this.infos.keys().next().value);
    return info;
  }

  async loadInfo() {
    const key = this.key();
    if (this.infos.has(key)) return;
    try {
      await this.position(this.tree.place());
    } catch (error) {
      this.refused = key;
      this.onError?.(error);
    }
    if (key === this.key()) this.emit("info");
  }

  // Shows another analysis at a position given by moves.
  open(document, { board = null, name = "", version = 0, at = [] } = {}) {
    this.tree = new Tree(document);
    this.report = document.report ?? null;
    this.tree.at = this.tree.follow(at);
    this.board = board === null ? null : { id: board, version };
    this.name = name;
    this.edits = this.saved = 0;
    this.emit("open");
  }

  go(id) {
    if (id === this.tree.at || !this.tree.node(id)) return;
    this.tree.at = id;
    this.emit("go");
  }

  back() {
    if (this.node.parent !== null) this.go(this.node.parent);
  }

  forward(variation = 0) {
    const next = this.node.children[variation];
    if (next !== undefined) this.go(next);
  }

  first() {
    this.go(0);
  }

  last() {
    this.go(this.tree.end());
  }

  // Goes to the next or previous alternative of the current move.
  sibling(step) {
    if (this.node.parent === null) return;
    const all = this.tree.node(this.node.parent).children;
    const next = all[all.indexOf(this.node.id) + step];
    if (next !== undefined) this.go(next);
  }

  // Goes to the next or previous move of the line marked as dubious or worse. Returns whether there is one.
  mistake(isForward) {
    const { tree } = this;
    const step = ({ children, parent }) => (isForward ? children[0] ?? null : parent);
    let id = step(this.node);
    while (id !== null && ![2, 4, 6].includes(markOf(tree.node(id)))) id = step(tree.node(id));
    if (id !== null) this.go(id);
    return id !== null;
  }

  // Runs an edit of the tree.
  edit(change) {
    const { state, at } = this.tree;
    const result = change(this.tree);
    if (this.tree.state !== state) {
      this.edits += 1;
      this.emit("edit");
    } else if (this.tree.at !== at) {
      this.emit("go");
    }
    return result;
  }

  // Plays a legal move listed by the server. Returns its node.
  play({ uci, san, fen }, from = this.tree.at) {
    return this.edit((tree) => {
      const stays = tree.at !== from;
      const made = tree.add(from, [{ uci, san, fen }]);
      if (!stays) tree.at = made;
      return made;
    });
  }

  // Adds a line after a node and goes to its end. `evaluation` is stored with the first move, if new.
  async addLine(id, pv, evaluation = null) {
    const { tree } = this;
    const place = tree.place(id);
    const moves = [];
    for (let at = 0; at < pv.length; at += MAX_MOVES) {
      const part = pv.slice(at, at + MAX_MOVES);
      const { fens, san, uci } = await this.link.ask("line", { ...place, moves: [...place.moves, ...pv.slice(0, at)], pv: part });
      moves.push(...part.map((_, ply) => ({ uci: uci[ply], san: san[ply], fen: fens[ply] })));
    }
    if (tree !== this.tree || !tree.node(id)) return;
    if (evaluation) moves[0].eval = evaluation;
    this.edit(() => { tree.at = tree.add(id, moves); });
  }

  // Plays a typed move in the current position, or after typed moves not yet answered by the server.
  type(text) {
    const { tree } = this;
    if (this.typed?.tree !== tree || this.typed.at !== tree.at) this.typed = { tree, at: tree.at, last: Promise.resolve(tree.at) };
    const { typed } = this;
    const last = typed.last.then(async (from) => {
      const move = await this.link.ask("play", { ...tree.place(from), text });
      if (tree !== this.tree || !tree.node(from)) throw new Error(`${text} was not played: its position was removed.`);
      const made = this.play(move, from);
      if (tree.at === made) typed.at = made;
      return made;
    });
    typed.last = last;
    return last.finally(() => { if (this.typed?.last === last) this.typed = null; });
  }

  // The fragment of the address with the current line and position.
  address() {
    const { tree } = this;
    const parts = [];
    const line = tree.moves(tree.end());
    if (this.board) parts.push(`board=${encodeURIComponent(this.board.id)}`);
    else if (tree.state.start) parts.push(`fen=${tree.state.start.replace(/ /g, "_")}`);
    if (!this.board && tree.state.chess960) parts.push("chess960=1");
    if (this.board) parts.push(`at=${tree.moves().join(",")}`);
    else if (line.length) parts.push(`moves=${line.join(",")}`, `ply=${tree.path().length}`);
    return parts.length ? `#${parts.join("&")}` : "";
  }

  // Applies a version saved by another page or the queue.
  replace(document) {
    this.report = document.report ?? null;
    this.edit((tree) => tree.replace(document));
    this.saved = this.edits;
  }

  // Stores a draft in this browser, as a backup of the server.
  saveDraft() {
    const isSaved = this.edits === this.saved;
    const draft = { document: { ...this.tree.document(), report: this.report ?? undefined }, at: this.tree.moves(), board: this.board, name: this.name, hash: this.address(), isSaved };
    // Other tabs replace the draft of the browser, but not that of the tab.
    for (const area of ["localStorage", "sessionStorage"]) {
      // Removes an outdated draft.
      if (!store.set("draft", draft, area)) store.set("draft", null, area);
    }
  }
}

// The fields of an address fragment.
export const fields = (hash) => {
  const all = {};
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at < 1) continue;
    try {
      all[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
    } catch {
      // Invalid escape.
    }
  }
  return all;
};

// The analysis on the page: its tree, the current position, what the server knows of positions, and the address.

import { store } from "./dom.js";
import { blank, Tree } from "./tree.js";

const KNOWN = 500;
// Milliseconds of rest before the server is asked about a position.
const REST = 50;
// Moves of one request.
const MOST = 200;

export class Session {
  constructor(link) {
    this.link = link;
    this.tree = new Tree(blank());
    // The saved analysis: id, name, version. `edits` counts changes, `saved` those of them that the server has.
    this.board = null;
    this.name = "";
    // That of its game, if the queue has searched it.
    this.report = null;
    this.edits = 0;
    this.saved = 0;
    this.known = new Map();
    this.asked = new Map();
    this.listeners = [];
  }

  // Calls with what has changed: `open`, `edit`, `go` or `info`.
  on(call) {
    this.listeners.push(call);
  }

  tell(what) {
    if (what !== "info") {
      clearTimeout(this.timer);
      const rest = REST - (performance.now() - (this.rested ?? -REST));
      const ask = () => { this.rested = performance.now(); this.inform(); };
      if (rest <= 0) ask();
      else this.timer = setTimeout(ask, rest);
    }
    for (const call of this.listeners) call(what);
  }

  get node() {
    return this.tree.node();
  }

  // What the server knows of the current position, or null so far.
  get info() {
    return this.known.get(this.key()) ?? null;
  }

  // The legal moves; null so far, and none where the server refuses the position.
  get legal() {
    return this.info?.legal ?? (this.refused === this.key() ? [] : null);
  }

  key(id = this.tree.at) {
    return JSON.stringify(this.tree.place(id));
  }

  // Asks about a position.
  async position(place) {
    const key = JSON.stringify(place);
    if (this.known.has(key)) return this.known.get(key);
    if (!this.asked.has(key)) this.asked.set(key, this.link.ask("position", place).finally(() => this.asked.delete(key)));
    const info = await this.asked.get(key);
    this.known.set(key, info);
    if (this.known.size > KNOWN) this.known.delete(this.known.keys().next().value);
    return info;
  }

  async inform() {
    const key = this.key();
    if (this.known.has(key)) return;
    try {
      await this.position(this.tree.place());
    } catch (error) {
      this.refused = key;
      this.onError?.(error);
    }
    if (key === this.key()) this.tell("info");
  }

  // Shows another analysis. `at` are moves of it.
  open(document, { board = null, name = "", version = 0, at = [] } = {}) {
    this.tree = new Tree(document);
    this.report = document.report ?? null;
    this.tree.at = this.tree.follow(at);
    this.board = board === null ? null : { id: board, version };
    this.name = name;
    this.edits = this.saved = 0;
    this.tell("open");
  }

  go(id) {
    if (id === this.tree.at || !this.tree.node(id)) return;
    this.tree.at = id;
    this.tell("go");
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

  // Goes to the next or previous move in place of the current one.
  sibling(step) {
    if (this.node.parent === null) return;
    const all = this.tree.node(this.node.parent).children;
    const next = all[all.indexOf(this.node.id) + step];
    if (next !== undefined) this.go(next);
  }

  // Runs an edit of the tree.
  edit(change) {
    const { state, at } = this.tree;
    const result = change(this.tree);
    if (this.tree.state !== state) {
      this.edits += 1;
      this.tell("edit");
    } else if (this.tree.at !== at) {
      this.tell("go");
    }
    return result;
  }

  // Plays a legal move, as the server lists them. Returns its node.
  play({ uci, san, fen }, from = this.tree.at) {
    return this.edit((tree) => {
      const stays = tree.at !== from;
      const made = tree.add(from, [{ uci, san, fen }]);
      if (!stays) tree.at = made;
      return made;
    });
  }

  // Adds a line of moves behind a node and goes to its end. `evaluation` is that of the first one, if it is new.
  async addLine(id, pv, evaluation = null) {
    const { tree } = this;
    const place = tree.place(id);
    const moves = [];
    for (let at = 0; at < pv.length; at += MOST) {
      const part = pv.slice(at, at + MOST);
      const { fens, san } = await this.link.ask("line", { ...place, moves: [...place.moves, ...pv.slice(0, at)], pv: part });
      moves.push(...part.map((uci, ply) => ({ uci, san: san[ply], fen: fens[ply] })));
    }
    if (tree !== this.tree || !tree.node(id)) return;
    if (evaluation) moves[0].eval = evaluation;
    this.edit(() => { tree.at = tree.add(id, moves); });
  }

  // Plays a typed move: in the current position, or after the typed moves from there that the server has not answered yet.
  type(text) {
    const { tree } = this;
    if (this.typed?.tree !== tree || this.typed.at !== tree.at) this.typed = { tree, at: tree.at, last: Promise.resolve(tree.at) };
    const { typed } = this;
    const last = typed.last.then(async (from) => {
      const move = await this.link.ask("play", { ...tree.place(from), text });
      if (tree !== this.tree || !tree.node(from)) throw new Error(`${text} was not played: its position is gone.`);
      const made = this.play(move, from);
      if (tree.at === made) typed.at = made;
      return made;
    });
    typed.last = last;
    return last.finally(() => { if (this.typed?.last === last) this.typed = null; });
  }

  // The part of the address that names the position, with the rest of its line.
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

  // Takes what another page or the queue has saved.
  replace(document) {
    this.report = document.report ?? null;
    this.edit((tree) => tree.replace(document));
    this.saved = this.edits;
  }

  // Keeps the analysis in this browser, until the server has it and in case it forgets it.
  keep() {
    const isSaved = this.edits === this.saved;
    const isKept = store.set("draft", { document: { ...this.tree.document(), report: this.report ?? undefined }, at: this.tree.moves(), board: this.board, name: this.name, hash: this.address(), isSaved });
    // Better none than an older one.
    if (!isKept) store.set("draft", null);
  }
}

// The fields of an address.
export const fields = (hash) => {
  const all = {};
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at < 1) continue;
    try {
      all[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
    } catch {
      // A broken escape.
    }
  }
  return all;
};

// The moves of an analysis with variations, comments and glyphs. Each edit creates a new state, for undo.

import { numberOf, START } from "./text.js";

// Maximum number of undo steps.
const MAX_UNDO = 300;
// Milliseconds after which further typing is another undo step.
const PAUSE = 2000;

// Optional fields of a node in a document.
const OPTIONAL = ["comment", "before", "nags", "arrows", "circles", "clock", "eval"];
const isSet = (value) => (Array.isArray(value) ? value.length > 0 : Boolean(value));

const read = (document) => {
  const nodes = new Map();
  document.nodes.forEach((given, id) => {
    const parent = id === 0 ? null : given.parent;
    nodes.set(id, { uci: "", san: "", ...given, id, parent, children: [] });
    if (parent !== null) nodes.get(parent).children.push(id);
  });
  return { nodes, tags: document.tags ?? [], start: document.start ?? null, chess960: Boolean(document.chess960), result: document.result ?? "*" };
};

export const blank = (start = null, chess960 = false) => ({ tags: [], start, chess960, result: "*", nodes: [{ fen: start ?? START }] });

export class Tree {
  constructor(document) {
    this.state = read(document);
    this.at = 0;
    this.next = document.nodes.length;
    this.undos = [];
    this.redos = [];
    this.edited = 0;
  }

  node(id = this.at) {
    return this.state.nodes.get(id);
  }

  get plies() {
    return this.state.nodes.size - 1;
  }

  // The path from the root to a node, without the root.
  path(id = this.at) {
    const path = [];
    for (let node = this.node(id); node && node.parent !== null; node = this.node(node.parent)) path.unshift(node);
    return path;
  }

  moves(id = this.at) {
    return this.path(id).map((node) => node.uci);
  }

  // The move of a node with its number; empty at the root.
  name(id = this.at) {
    const { parent, san } = this.node(id);
    return parent === null ? "" : `${numberOf(this.node(parent).fen)} ${san}`;
  }

  // The end of the line through a node.
  end(id = this.at) {
    while (this.node(id).children.length) id = this.node(id).children[0];
    return id;
  }

  child(id, uci) {
    return this.node(id)?.children.find((child) => this.node(child).uci === uci);
  }

  // The last node along moves from the root.
  follow(moves) {
    let at = 0;
    for (const uci of moves) {
      const child = this.child(at, uci);
      if (child === undefined) break;
      at = child;
    }
    return at;
  }

  isMain(id) {
    for (let node = this.node(id); node.parent !== null; node = this.node(node.parent)) {
      if (this.node(node.parent).children[0] !== node.id) return false;
    }
    return true;
  }

  // A place for requests.
  place(id = this.at) {
    return { start: this.state.start, chess960: this.state.chess960, moves: this.moves(id) };
  }

  // Changes the state. Consecutive edits of the same kind, such as typing without a pause, are undone together.
  edit(change, kind = null) {
    const before = { state: this.state, at: this.at, kind };
    this.state = { ...this.state, nodes: new Map(this.state.nodes) };
    const result = change(this.state);
    const last = this.undos[this.undos.length - 1];
    const now = Date.now();
    if (kind === null || last?.kind !== kind || now - this.edited > PAUSE) this.undos.push(before);
    this.edited = now;
    if (this.undos.length > MAX_UNDO) this.undos.shift();
    this.redos = [];
    return result;
  }

  swap(from, to) {
    const found = from.pop();
    if (!found) return false;
    to.push({ state: this.state, at: this.at, kind: null });
    this.state = found.state;
    this.at = this.state.nodes.has(found.at) ? found.at : 0;
    return true;
  }

  undo() {
    return this.swap(this.undos, this.redos);
  }

  redo() {
    return this.swap(this.redos, this.undos);
  }

  // Adds moves after a node, following existing ones. Returns the last one.
  add(id, moves) {
    let known;
    while (moves.length && (known = this.child(id, moves[0].uci)) !== undefined) [id, moves] = [known, moves.slice(1)];
    if (!moves.length) return id;
    return this.edit(({ nodes }) => {
      for (const move of moves) {
        const made = { ...move, id: this.next++, parent: id, children: [] };
        nodes.set(id, { ...nodes.get(id), children: [...nodes.get(id).children, made.id] });
        nodes.set(made.id, made);
        id = made.id;
      }
      return id;
    });
  }

  setNode(id, fields, kind = null) {
    const node = this.node(id);
    const same = (key) => JSON.stringify(node[key] ?? null) === JSON.stringify(fields[key] ?? null);
    if (Object.keys(fields).every(same)) return;
    this.edit(({ nodes }) => nodes.set(id, { ...node, ...fields }), kind);
  }

  setTags(tags, result) {
    this.edit((state) => Object.assign(state, { tags, result }));
  }

  // Moves a variation before its siblings: by one, or to the front.
  raise(nodes, id, toFront) {
    const parent = nodes.get(nodes.get(id).parent);
    const at = parent.children.indexOf(id);
    const children = parent.children.filter((child) => child !== id);
    children.splice(toFront ? 0 : Math.max(0, at - 1), 0, id);
    nodes.set(parent.id, { ...parent, children });
  }

  // The first move of the variation that a node is in, or null.
  head(id) {
    for (let node = this.node(id); node.parent !== null; node = this.node(node.parent)) {
      if (this.node(node.parent).children[0] !== node.id) return node.id;
    }
    return null;
  }

  promote(id) {
    const head = this.head(id);
    if (head !== null) this.edit(({ nodes }) => this.raise(nodes, head, false));
  }

  makeMain(id) {
    if (this.isMain(id)) return;
    const path = this.path(id);
    this.edit(({ nodes }) => path.forEach((node) => this.raise(nodes, node.id, true)));
  }

  // Removes a move and all moves after it.
  remove(id) {
    const { parent } = this.node(id);
    if (parent === null) return;
    const gone = new Set();
    const collect = [id];
    while (collect.length) {
      const one = collect.pop();
      gone.add(one);
      collect.push(...this.node(one).children);
    }
    this.edit(({ nodes }) => {
      nodes.set(parent, { ...nodes.get(parent), children: nodes.get(parent).children.filter((child) => child !== id) });
      for (const one of gone) nodes.delete(one);
    });
    if (gone.has(this.at)) this.at = parent;
  }

  // Applies a document saved by another page, as an edit.
  replace(document) {
    const moves = this.moves();
    const state = read(document);
    // Ids are not reused, since undone states contain them.
    const shift = this.next;
    const moved = (id) => (id === 0 || id === null ? id : id + shift);
    const nodes = new Map([...state.nodes.values()].map((node) => [moved(node.id), { ...node, id: moved(node.id), parent: moved(node.parent), children: node.children.map(moved) }]));
    this.next += document.nodes.length;
    this.edit((own) => Object.assign(own, state, { nodes }));
    this.at = this.follow(moves);
  }

  document() {
    const nodes = [];
    const index = new Map();
    const order = [0];
    while (order.length) {
      const node = this.node(order.pop());
      const { uci, san, fen } = node;
      const kept = node.parent === null ? { fen } : { parent: index.get(node.parent), uci, san, fen };
      for (const key of OPTIONAL) if (isSet(node[key])) kept[key] = node[key];
      index.set(node.id, nodes.length);
      nodes.push(kept);
      for (let at = node.children.length - 1; at >= 0; at -= 1) order.push(node.children[at]);
    }
    const { tags, start, chess960, result } = this.state;
    return { tags, start, chess960, result, nodes };
  }
}

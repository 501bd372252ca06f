// The tree of `--tree`: walking, pins and exclusions.

import { announce } from "./say.js";
import { button, find, hide, make, say, set, soon, sync } from "./dom.js";
import { grouped, numbered, whiteMoves } from "./text.js";

// Milliseconds between two looks; others may grow the tree.
const LOOK = 5000;
const same = (a, b) => a.split(" ").slice(0, 3).join() === b.split(" ").slice(0, 3).join();
const share = (expected, fen) => (expected === null || expected === undefined ? "–" : `${(100 * (whiteMoves(fen) ? expected : 1 - expected)).toFixed(1)} %`);

export class TreeView {
  constructor(session, link) {
    Object.assign(this, { session, link, tree: null, path: [], isShown: false, follows: true });
    this.redraw = soon(() => this.draw());
    link.on("hello", ({ tree: has }) => {
      hide(find("#tab-tree"), !has);
      if (has && this.isShown) this.look();
    });
    link.on("tree", () => { if (this.isShown) this.look(); });
    session.on((what) => { if (what !== "info" && this.isShown) this.follow(); });
    find("#tree-follow").addEventListener("change", (event) => {
      this.follows = event.target.checked;
      this.follow();
    });
    find("#tree-path").addEventListener("click", (event) => {
      const at = event.target.closest("button")?.dataset.at;
      if (at !== undefined) this.walk(this.path.slice(0, Number(at)));
    });
    find("#tree-moves").addEventListener("click", (event) => {
      const act = event.target.closest("button");
      const uci = act?.closest("[data-move]")?.dataset.move;
      if (!uci) return;
      if (act.dataset.mark) this.mark(uci, act.dataset.mark);
      else this.walk([...this.path, uci]);
    });
    setInterval(() => { if (this.isShown && link.isOpen && document.visibilityState === "visible") this.look(); }, LOOK);
  }

  // Looks at the tree with its tab open.
  show(isShown) {
    this.isShown = isShown;
    if (!isShown) return;
    this.look();
    this.follow();
  }

  async look() {
    const { path } = this;
    try {
      const { tree } = await this.link.ask("tree", { path: path.join(" ") }, true);
      if (path !== this.path) return;
      const isFirst = !this.tree;
      [this.tree, this.error] = [tree, null];
      if (isFirst && this.isShown) this.follow();
    } catch (error) {
      if (error.code === "closed") return;
      this.error = error.message;
    }
    this.redraw();
  }

  get isSame() {
    const { start } = this.session.tree.state;
    return this.tree && same(this.tree.start, start ?? this.session.tree.node(0).fen);
  }

  // Follows the board, if both begin at the same position.
  follow() {
    if (!this.follows || !this.tree || !this.isSame) return this.redraw();
    const moves = this.session.tree.moves();
    if (moves.join() === this.path.join()) return;
    this.path = moves;
    this.look();
  }

  // Walks to moves from the root, with the board where it follows.
  walk(moves) {
    this.path = moves;
    this.look();
    if (!this.follows || !this.isSame) return;
    const { session } = this;
    const known = session.tree.follow(moves);
    const rest = moves.slice(session.tree.path(known).length);
    if (rest.length) session.addLine(known, rest).catch((error) => this.onError?.(error));
    else session.go(known);
  }

  async mark(uci, mark) {
    try {
      await this.link.ask("mark", { path: [...this.path, uci].join(" "), as: mark }, true);
      announce(mark === "none" ? "mark removed" : mark === "pin" ? "pinned" : "excluded");
    } catch (error) {
      this.onError?.(error);
    }
  }

  draw() {
    const { tree } = this;
    hide(find("#tree-part"), !tree);
    say(find("#tree-error"), this.error ?? (tree && this.follows && !this.isSame ? "The tree begins at another position than the board." : ""));
    if (!tree) return;
    const steps = ["root", ...numbered(tree.start, tree.path_san)].map((text, key) => ({ key, text }));
    sync(find("#tree-path"), steps, ({ key }) => button("", { class: "chip", "data-at": key }), (element, { key, text }) => {
      say(element, text);
      set(element, "aria-current", key === steps.length - 1 ? "true" : null);
    });
    say(find("#tree-node"), `White ${share(tree.expected, tree.fen)}, ply ${tree.ply ?? "–"}; ${grouped(tree.positions)} positions. Best line: ${numbered(tree.fen, tree.best_san).join(" ") || "–"}`);
    sync(find("#tree-moves"), tree.moves.map((move) => ({ key: `${tree.fen} ${move.uci}`, move })), () => {
      const mark = (name) => make("button", { type: "button", class: "chip" }, name);
      return make("tr", {}, make("td", {}, button("", { class: "move" })), make("td", { class: "number" }), make("td", { class: "number" }), make("td", { class: "number" }), make("td", { class: "note" }), make("td", { class: "marks" }, mark("pin"), mark("exclude")));
    }, (row, { move }) => {
      const [name, value, depth, below, note, marks] = row.children;
      set(row, "data-move", move.uci);
      row.classList.toggle("excluded", move.excluded);
      say(name.firstChild, move.san);
      set(name.firstChild, "disabled", !move.in_tree);
      say(value, share(move.expected, tree.fen));
      say(depth, move.depth ?? "");
      say(below, move.below);
      say(note, move.note ?? "");
      hide(marks.children[0], !move.in_tree);
      hide(marks.children[1], !move.in_tree);
      for (const [one, word, isSet] of [[marks.children[0], "pin", move.pinned], [marks.children[1], "exclude", move.excluded]]) {
        set(one, "data-mark", isSet ? "none" : word);
        set(one, "aria-pressed", String(isSet));
        set(one, "aria-label", `${word} ${move.san}`);
      }
    });
  }
}

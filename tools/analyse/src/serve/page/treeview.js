// The tree of `--tree`: navigation, pins and exclusions.

import { announce } from "./notices.js";
import { button, find, hide, make, setText, set, soon, sync } from "./dom.js";
import { grouped, numbered, whiteMoves } from "./text.js";

// Poll interval in milliseconds, since other processes may grow the tree.
const POLL_INTERVAL = 5000;
const same = (a, b) => a.split(" ").slice(0, 3).join() === b.split(" ").slice(0, 3).join();
const share = (expected, fen) => (expected === null || expected === undefined ? "–" : `${(100 * (whiteMoves(fen) ? expected : 1 - expected)).toFixed(1)} %`);

export class TreeView {
  constructor(session, link) {
    Object.assign(this, { session, link, tree: null, path: [], shownPath: [], isShown: false, follows: true });
    this.redraw = soon(() => this.draw());
    link.on("hello", ({ tree: has }) => {
      hide(find("#tab-tree"), !has);
      if (has && this.isShown) this.load();
    });
    link.on("tree", () => { if (this.isShown) this.load(); });
    session.on((what) => { if (what !== "info" && this.isShown) this.follow(); });
    find("#tree-follow").addEventListener("change", (event) => {
      this.follows = event.target.checked;
      this.follow();
    });
    find("#tree-path").addEventListener("click", (event) => {
      const at = event.target.closest("button")?.dataset.at;
      if (at !== undefined) this.goTo(this.shownPath.slice(0, Number(at)));
    });
    find("#tree-moves").addEventListener("click", (event) => {
      const act = event.target.closest("button");
      const uci = act?.closest("[data-move]")?.dataset.move;
      if (!uci) return;
      if (act.dataset.mark) this.mark(uci, act.dataset.mark);
      else this.goTo([...this.shownPath, uci]);
    });
    setInterval(() => { if (this.isShown && link.isOpen && document.visibilityState === "visible") this.load(); }, POLL_INTERVAL);
  }

  // Loads the tree while its tab is open.
  show(isShown) {
    this.isShown = isShown;
    if (!isShown) return;
    this.load();
    this.follow();
  }

  async load() {
    const { path } = this;
    try {
      const { tree } = await this.link.ask("tree", { path: path.join(" ") }, true);
      if (path !== this.path) return;
      const isFirst = !this.tree;
      [this.tree, this.shownPath, this.error] = [tree, path, null];
      if (isFirst && this.isShown) this.follow();
    } catch (error) {
      if (error.code === "closed") return;
      this.error = error.message;
    }
    this.redraw();
  }

  get isSame() {
    const { start } = this.session.tree.state;
    return this.tree && [this.tree.start, this.tree.start960].some((own) => same(own, start ?? this.session.tree.node(0).fen));
  }

  // Follows the board, if both have the same start position.
  follow() {
    if (!this.follows || !this.tree || !this.isSame) return this.redraw();
    const moves = this.session.tree.moves();
    if (moves.join() === this.path.join()) return;
    this.path = moves;
    this.load();
  }

  // Goes to moves from the root, and moves the board if it follows.
  goTo(moves) {
    this.path = moves;
    this.load();
    if (!this.follows || !this.isSame) return;
    const { session } = this;
    const known = session.tree.follow(moves);
    const rest = moves.slice(session.tree.path(known).length);
    if (rest.length) session.addLine(known, rest).catch((error) => this.onError?.(error));
    else session.go(known);
  }

  async mark(uci, mark) {
    try {
      await this.link.ask("mark", { path: [...this.shownPath, uci].join(" "), as: mark }, true);
      announce(mark === "none" ? "mark removed" : mark === "pin" ? "pinned" : "excluded");
    } catch (error) {
      this.onError?.(error);
    }
  }

  draw() {
    const { tree } = this;
    hide(find("#tree-part"), !tree);
    setText(find("#tree-error"), this.error ?? (tree && this.follows && !this.isSame ? "The tree and the board have different start positions." : ""));
    if (!tree) return;
    const steps = ["root", ...numbered(tree.start, tree.path_san)].map((text, key) => ({ key, text }));
    sync(find("#tree-path"), steps, ({ key }) => button("", { class: "chip", "data-at": key }), (element, { key, text }) => {
      setText(element, text);
      set(element, "aria-current", key === steps.length - 1 ? "true" : null);
    });
    setText(find("#tree-node"), `White ${share(tree.expected, tree.fen)}, ply ${tree.ply ?? "–"}; ${grouped(tree.positions)} positions. Best line: ${numbered(tree.fen, tree.best_san).join(" ") || "–"}`);
    sync(find("#tree-moves"), tree.moves.map((move) => ({ key: `${tree.fen} ${move.uci}`, move })), () => {
      const mark = (name) => button(name, { class: "chip" });
      return make("tr", {}, make("td", {}, button("", { class: "move" })), make("td", { class: "number" }), make("td", { class: "number" }), make("td", { class: "number" }), make("td", { class: "note" }), make("td", { class: "marks" }, mark("pin"), mark("exclude")));
    }, (row, { move }) => {
      const [name, value, depth, below, note, marks] = row.children;
      set(row, "data-move", move.uci);
      row.classList.toggle("excluded", move.excluded);
      setText(name.firstChild, move.san);
      set(name.firstChild, "disabled", !move.in_tree);
      setText(value, share(move.expected, tree.fen));
      setText(depth, move.depth ?? "");
      setText(below, move.below);
      setText(note, move.note ?? "");
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

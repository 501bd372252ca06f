// The games of a report.

import { Bar, Board } from "./board.js";
import { button, find, findAll, make, reveal, setText, set } from "./dom.js";
import { graph } from "./graph.js";
import { bindKeys } from "./keys.js";
import { Preview } from "./preview.js";
import { grouped, nag, pieces, placement, time } from "./text.js";

// The placement after changes: squares, each with its new piece or a dot.
const changed = (fen, changes) => {
  const all = pieces(fen);
  for (const [, square, piece] of changes.matchAll(/(..)(.)/g)) {
    if (piece === ".") all.delete(square);
    else all.set(square, piece);
  }
  return placement(all);
};

// Origin and target of a move: the squares of its first two changes.
const ends = (changes) => (changes ? [changes.slice(0, 2), changes.slice(3, 5)] : null);

// A value in short form for the bar.
const narrow = (value) => value.replace(/\d+\.\d+/, (pawns) => Number(pawns).toFixed(pawns < 9.95 ? 1 : 0));

const preview = new Preview(find("#preview"), ({ fen, changes }) => changes.reduce(changed, fen));

class Game {
  constructor(article) {
    Object.assign(this, { article, id: article.id, ply: 0, data: null });
  }

  find(selector) {
    return find(selector, this.article);
  }

  // Initialises the game on first use.
  open() {
    if (this.data) return;
    this.data = JSON.parse(this.find("script").textContent);
    this.fens = this.data.moves.reduce((fens, changes) => [...fens, changed(fens[fens.length - 1], changes)], [this.data.start]);
    this.links = findAll(".moves > .move", this.article);
    const host = this.find(".play");
    host.replaceChildren();
    this.board = new Board(host, { label: "position" });
    this.bar = new Bar(host);
    const points = this.data.positions.map((position, ply) => ({ expected: position ? position[1] / 100 : null, mark: this.mark(ply) }));
    this.markGraph = graph(this.find(".graph"), points, (ply) => this.show(ply));
    this.article.addEventListener("click", (event) => this.click(event));
    const lines = this.find(".found");
    const point = (event) => this.preview(event.target.closest("[data-ply]"));
    for (const event of ["pointerover", "focusin", "click"]) lines.addEventListener(event, point);
    for (const event of ["pointerleave", "focusout"]) lines.addEventListener(event, () => preview.hide());
  }

  // The mark of the move before a position.
  mark(ply) {
    return Number(this.links[ply - 1]?.dataset.nag) || null;
  }

  click(event) {
    const link = event.target.closest(".moves > .move");
    const where = event.target.closest("button")?.dataset.go;
    if (link) {
      event.preventDefault();
      this.show(this.links.indexOf(link) + 1);
    } else if (where) {
      this.go(where);
    }
  }

  go(where) {
    if (where === "flip") this.board.turn(!this.board.turned);
    this.show({ first: 0, back: this.ply - 1, forward: this.ply + 1, last: this.data.moves.length }[where] ?? this.ply);
  }

  show(ply) {
    this.open();
    const last = this.data.moves.length;
    const isNew = this.ply !== ply;
    this.ply = Math.max(0, Math.min(ply, last));
    const position = this.data.positions[this.ply];
    const { board } = this;
    const mark = this.mark(this.ply);
    board.show({ fen: this.fens[this.ply], last: ends(this.data.moves[this.ply - 1]), badge: mark && [nag(mark), mark] });
    if (isNew) board.setShapes([]);
    const best = ends(position?.[6]?.[0]?.[2]);
    board.setLines(best ? [{ from: best[0], to: best[1], width: 14, kind: "best" }] : []);
    this.bar.show(position ? position[1] / 100 : null, position ? narrow(position[0]) : "", board.turned);
    this.article.classList.toggle("turned", board.turned);
    setText(this.find(".value"), position ? position[0] : "–");
    this.drawLines(position);
    this.drawClocks();
    this.markGraph(this.ply);
    for (const one of findAll("[data-go]", this.article)) {
      const { go } = one.dataset;
      one.disabled = (["first", "back"].includes(go) && this.ply === 0) || (["last", "forward"].includes(go) && this.ply === last);
    }
    const link = this.links[this.ply - 1];
    for (const one of this.links) set(one, "aria-current", one === link && "true");
    if (link && this.links.includes(document.activeElement)) link.focus({ preventScroll: true });
    reveal(this.find(".moves"), link);
    remember(this);
  }

  drawLines(position) {
    preview.hide();
    const [, , depth, selective, nodes, ms, lines = []] = position ?? [];
    const searched = depth === undefined ? (position ? "the game is over" : "not analysed") : `depth ${depth}/${selective}, ${grouped(nodes)} nodes, ${time(ms)}`;
    this.find(".found").replaceChildren(make("p", { class: "searched" }, searched), ...lines.map(([value, words], line) => {
      const moves = words.match(/(\d+\.+ )?\S+/g) ?? [];
      return make("p", {}, make("b", {}, value), ...moves.map((word, ply) => button(word, { class: "move", "data-line": line, "data-ply": ply })));
    }));
  }

  // Shows the position after a move of a line.
  preview(move) {
    if (!move) return;
    const changes = this.data.positions[this.ply][6][move.dataset.line][2].split(" ").slice(0, Number(move.dataset.ply) + 1);
    preview.isTurned = () => this.board.turned;
    preview.show(move, { fen: this.fens[this.ply], changes }, changes.map((one) => ends(one).join("")));
  }

  // Shows both clocks, if present.
  drawClocks() {
    if (!this.data.clocks) return;
    for (const color of ["w", "b"]) {
      const own = this.data.clocks.slice(0, this.ply).filter((_, at) => (at % 2 === 0) === (color === this.data.first));
      setText(this.find(`.seat.${color} .clock`), own.filter((clock) => clock).pop() ?? "–");
    }
  }
}

const games = findAll(".game").map((article) => new Game(article));
let current = null;

// Stores the position in the address, for bookmarks and links.
const remember = (game) => {
  const place = `#${game.id}${game.ply ? `-${game.ply}` : ""}`;
  try {
    if (location.hash !== place) history.replaceState(null, "", place);
  } catch {
    // Some browsers forbid this for local files.
  }
};

const choose = (game, ply) => {
  current = game;
  for (const other of games) other.article.classList.toggle("chosen", other === game);
  for (const row of findAll("#contents tbody tr")) row.classList.toggle("chosen", find("a", row).hash === `#${game.id}`);
  game.show(ply);
};

const follow = () => {
  const [, id, ply] = /^#(g\d+)(?:-(\d+))?$/.exec(location.hash) ?? [];
  const game = games.find((one) => one.id === id) ?? current ?? games[0];
  if (!game) return;
  choose(game, id === game.id ? Number(ply ?? game.ply) : game.ply);
  // The browser scrolls to the move in the list; show its board instead.
  if (id) requestAnimationFrame(() => current.article.scrollIntoView());
};

bindKeys(Object.fromEntries(["back", "forward", "first", "last", "flip"].map((where) => [where, () => current?.go(where)])));
window.addEventListener("hashchange", follow);
window.addEventListener("load", follow);
document.documentElement.classList.add("js");
document.documentElement.classList.toggle("many", games.length > 1);
follow();

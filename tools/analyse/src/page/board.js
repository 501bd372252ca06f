// A board with pieces, marks and arrows. Reports gestures; independent of the rules and the server. The page must contain the symbols
// of pieces.svg.

import { draw, find, hide, make, set } from "./dom.js";
import { pieceName, pieces, whiteMoves } from "./text.js";
import { Gestures } from "./gestures.js";

const FILES = "abcdefgh";

// An arrow with shaft and head, in a box of 800 by 800. `width` is the width of the shaft.
export const arrow = (from, to, width, attributes = {}) => {
  const [[x, y], [toX, toY]] = [from, to];
  const length = Math.hypot(toX - x, toY - y) || 1;
  const along = [(toX - x) / length, (toY - y) / length];
  const at = (forth, aside) => `${(x + along[0] * forth - along[1] * aside).toFixed(1)} ${(y + along[1] * forth + along[0] * aside).toFixed(1)}`;
  const head = 16 + width * 1.1;
  const neck = length - 8 - head;
  return draw("g", { class: "arrow", ...attributes },
    draw("path", { class: "shaft", d: `M${at(22, 0)}L${at(neck + 1, 0)}`, "stroke-width": width }),
    draw("path", { class: "head", d: `M${at(neck, -head * 0.62)}L${at(length - 8, 0)}L${at(neck, head * 0.62)}Z` }));
};

export class Board {
  // Callbacks in `on`: `move(move)`, `lost(moves)` with [from, to] each, `shapes(list)`, and for a free board `place(from, to)` and
  // `press(square)`.
  constructor(host, { on = {}, isFree = false, isStill = false, label = "board" } = {}) {
    Object.assign(this, { on, isFree, host, turned: false, fen: "", targets: new Map(), isWaiting: false, pending: [], selected: null, drawing: false });
    this.squares = new Map();
    this.shapes = [];
    this.lines = [];
    this.layers = {};
    this.svg = draw("svg", { class: "board", viewBox: "0 0 800 800", role: "img", "aria-label": label }, draw("use", { href: "#squares" }));
    for (const name of ["marks", "frame", "pieces", "hints", "lines", "shapes", "badges"]) {
      this.layers[name] = draw("g", { class: name });
      this.svg.append(this.layers[name]);
    }
    this.frame = draw("use", { href: "#frame" });
    this.layers.frame.append(this.frame);
    const squares = make("div", { class: "squares" }, this.svg);
    host.classList.add("board-host");
    host.append(squares);
    this.chooser = make("div", { class: "promotion", role: "dialog", "aria-label": "promote to", hidden: true });
    if (!isStill) {
      squares.append(this.chooser);
      this.gestures = new Gestures(this);
    }
  }

  corner(square) {
    const [file, rank] = [FILES.indexOf(square[0]), Number(square[1]) - 1];
    return this.turned ? [100 * (7 - file), 100 * rank] : [100 * file, 100 * (7 - rank)];
  }

  middle(square) {
    return this.corner(square).map((edge) => edge + 50);
  }

  // The point of an event in the board's units.
  point(event) {
    const box = this.svg.getBoundingClientRect();
    return [(800 * (event.clientX - box.left)) / box.width, (800 * (event.clientY - box.top)) / box.height];
  }

  // The square of an event, or null outside the board.
  square(event) {
    const [x, y] = this.point(event).map((value) => Math.floor(value / 100));
    if (x < 0 || x > 7 || y < 0 || y > 7) return null;
    return this.turned ? FILES[7 - x] + (y + 1) : FILES[x] + (8 - y);
  }

  // Shows a position: `fen`, `last` [from, to], `check` (a square), `legal` moves as listed by the server (null if not yet known),
  // and the `badge` [text, kind] of the last move.
  show({ fen, last = null, check = null, legal = [], badge = null }) {
    const isNew = fen !== this.fen;
    if (isNew) {
      this.gestures?.cancel();
      this.choose(null);
      this.dropPending();
      this.fen = fen;
    }
    this.drawPieces(pieces(fen));
    this.last = last;
    this.check = check;
    this.badge = badge;
    this.targets = new Map();
    this.isWaiting = !legal;
    for (const move of legal ?? []) {
      const own = this.targets.get(move.from) ?? new Map();
      for (const to of [move.to, ...(move.also ?? [])]) own.set(to, [...(own.get(to) ?? []), move]);
      this.targets.set(move.from, own);
    }
    if (!this.isWaiting && !this.chosen && this.pending.length) {
      if (this.tryMove(...this.pending[0])) this.pending.shift();
      else this.dropPending();
    }
    for (const [from, to] of this.pending) this.movePiece(from, to);
    if (this.selected && !this.canMove(this.selected)) this.selected = null;
    this.layers.pieces.classList.toggle("ready", this.isFree || this.isWaiting || this.targets.size > 0);
    this.drawMarks();
  }

  // Whether the piece on a square can move: any of the side to move until the legal moves are known.
  canMove(square) {
    if (!this.isWaiting) return this.targets.has(square);
    const letter = this.squares.get(square)?.letter;
    return Boolean(letter) && (letter === letter.toUpperCase()) === (whiteMoves(this.fen) === (this.pending.length % 2 === 0));
  }

  // Whether it can move to another square.
  canReach(from, to) {
    if (!this.isWaiting) return Boolean(this.targets.get(from)?.has(to));
    return from !== null && !this.canMove(to);
  }

  // Drops moves not yet confirmed by the server.
  dropPending() {
    if (!this.pending.length) return;
    this.gestures.cancel();
    this.on.lost?.(this.pending.splice(0));
  }

  turn(turned) {
    if (turned === this.turned) return;
    this.turned = turned;
    this.gestures?.cancel();
    set(this.frame, "href", turned ? "#turned" : "#frame");
    // Moves the pieces without animation.
    this.svg.classList.add("still");
    for (const [square, piece] of this.squares) this.put(piece.element, square);
    this.svg.getBoundingClientRect();
    this.svg.classList.remove("still");
    this.drawMarks();
    this.drawShapes();
    this.drawLines();
    if (this.chosen) this.choose(this.chosen);
  }

  put(element, square) {
    const [x, y] = this.corner(square);
    element.style.transform = `translate(${x}px, ${y}px)`;
  }

  // Reuses the elements of pieces that stay or move.
  drawPieces(wanted) {
    const free = [];
    for (const [square, piece] of this.squares) {
      if (wanted.get(square) !== piece.letter) {
        free.push([square, piece]);
        this.squares.delete(square);
      }
    }
    for (const [square, letter] of wanted) {
      if (this.squares.has(square)) continue;
      const distance = ([from]) => Math.abs(FILES.indexOf(from[0]) - FILES.indexOf(square[0])) + Math.abs(from[1] - square[1]);
      const found = free.filter(([, piece]) => piece.letter === letter).sort((a, b) => distance(a) - distance(b))[0];
      const piece = found ? found[1] : { letter, element: this.build(letter) };
      if (found) free.splice(free.indexOf(found), 1);
      this.squares.set(square, piece);
      this.put(piece.element, square);
      if (!found) this.layers.pieces.append(piece.element);
    }
    for (const [, piece] of free) piece.element.remove();
  }

  build(letter) {
    return draw("use", { href: `#${letter.toUpperCase()}`, class: letter === letter.toUpperCase() ? "w" : "b", width: 100, height: 100 });
  }

  // Moves a piece before the new position is known.
  movePiece(from, to) {
    const piece = this.squares.get(from);
    if (!piece) return;
    this.squares.get(to)?.element.remove();
    this.squares.delete(from);
    this.squares.set(to, piece);
    this.put(piece.element, to);
    this.last = [from, to];
    this.check = this.badge = null;
    this.drawMarks();
  }

  // Shows the position again, such as after a cancelled promotion.
  restore() {
    this.drawPieces(pieces(this.fen));
    for (const [square, piece] of this.squares) this.put(piece.element, square);
  }

  drawMarks(hovered = null) {
    const marks = [];
    const rect = (square, name) => {
      const [x, y] = this.corner(square);
      marks.push(draw("rect", { class: name, x: x + 3, y: y + 3, width: 94, height: 94 }));
    };
    for (const square of this.last ?? []) rect(square, "last");
    if (this.check) {
      const [cx, cy] = this.middle(this.check);
      marks.push(draw("circle", { class: "check", cx, cy, r: 46 }));
    }
    if (this.selected) rect(this.selected, "selected");
    if (hovered) rect(hovered, "hovered");
    this.layers.marks.replaceChildren(...marks);
    const hints = [...(this.targets.get(this.selected)?.keys() ?? [])].map((square) => {
      const [cx, cy] = this.middle(square);
      return draw("circle", this.squares.has(square) ? { class: "capture", cx, cy, r: 44 } : { class: "target", cx, cy, r: 15 });
    });
    this.layers.hints.replaceChildren(...hints);
    const badge = this.badge && this.last ? [this.badgeAt(this.last[1], ...this.badge)] : [];
    this.layers.badges.replaceChildren(...badge);
  }

  badgeAt(square, text, kind) {
    const [x, y] = this.corner(square);
    const at = { x: Math.min(x + 88, 776), y: Math.max(y + 12, 24) };
    return draw("g", { class: "badge", "data-kind": kind }, draw("circle", { cx: at.x, cy: at.y, r: 23 }), draw("text", { x: at.x, y: at.y + 10 }, text));
  }

  // Shapes are strings: color (G, R, Y, B), square, and for arrows the square of the head.
  shape(text) {
    const [color, from, to] = [text[0], text.slice(1, 3), text.slice(3, 5)];
    if (to) return arrow(this.middle(from), this.middle(to), 14, { class: `arrow ${color}` });
    const [cx, cy] = this.middle(from);
    return draw("circle", { class: `circle ${color}`, cx, cy, r: 45 });
  }

  setShapes(shapes) {
    if (shapes.join() === this.shapes.join()) return;
    this.shapes = shapes;
    this.drawShapes();
  }

  drawShapes(extra = null) {
    const isShape = (text) => /^[GRYB][a-h][1-8]([a-h][1-8])?$/.test(text);
    this.layers.shapes.replaceChildren(...[...this.shapes, ...(extra ? [extra] : [])].filter(isShape).map((text) => this.shape(text)));
  }

  // Arrows of an engine: `{from, to, width, kind}`.
  setLines(lines) {
    if (JSON.stringify(lines) === JSON.stringify(this.lines)) return;
    this.lines = lines;
    this.drawLines();
  }

  drawLines() {
    this.layers.lines.replaceChildren(...this.lines.map(({ from, to, width, kind }) => arrow(this.middle(from), this.middle(to), width, { class: `arrow ${kind}` })));
  }

  // Handles a piece moved by a gesture. Returns whether the move may be legal; it is played once the legal moves are known.
  moved(from, to) {
    this.selected = null;
    if (!this.isWaiting) return this.tryMove(from, to);
    this.pending.push([from, to]);
    this.movePiece(from, to);
    return true;
  }

  // Plays the move between two squares, if legal.
  tryMove(from, to) {
    const moves = this.targets.get(from)?.get(to);
    if (!moves) return false;
    if (moves.some((move) => move.promotion)) {
      this.choose({ from, to, moves: moves.filter((move) => move.promotion) });
    } else {
      this.play(moves[0]);
    }
    return true;
  }

  play(move) {
    this.movePiece(move.from, move.to);
    // `show` sets the legal moves.
    Object.assign(this, { fen: move.fen, targets: new Map(), isWaiting: true });
    this.on.move?.(move);
  }

  // Opens the promotion dialog, or closes it with null.
  choose(chosen) {
    const before = this.chosen;
    this.chosen = chosen;
    hide(this.chooser, !chosen);
    if (!chosen) {
      if (before) {
        this.chooser.replaceChildren();
        this.restore();
        this.dropPending();
        this.drawMarks();
      }
      return;
    }
    const { from, to, moves } = chosen;
    const pawn = this.squares.get(from);
    if (pawn) this.put(pawn.element, to);
    this.selected = null;
    this.drawMarks();
    const [x, y] = this.corner(to);
    Object.assign(this.chooser.style, { left: `${x / 8}%`, [y < 400 ? "top" : "bottom"]: "0", [y < 400 ? "bottom" : "top"]: "auto" });
    if (before) return;
    const isWhite = (pawn?.letter ?? "P") === "P";
    const order = [...moves].sort((a, b) => "qnrb".indexOf(a.promotion) - "qnrb".indexOf(b.promotion));
    this.chooser.replaceChildren(...order.map((move) => {
      const letter = isWhite ? move.uci[4].toUpperCase() : move.uci[4];
      const picture = draw("svg", { class: "pieces", viewBox: "0 0 100 100", "aria-hidden": "true" }, this.build(letter));
      const choice = make("button", { type: "button", "aria-label": pieceName(letter).split(" ")[1], title: move.san }, picture);
      choice.addEventListener("click", () => {
        this.chosen = null;
        hide(this.chooser, true);
        this.chooser.replaceChildren();
        this.play(move);
      });
      return choice;
    }));
    find("button", this.chooser).focus({ preventScroll: true });
  }
}

// White's expected score as a bar beside the board.
export class Bar {
  constructor(host) {
    this.text = make("span");
    this.white = make("div", { class: "white" });
    this.element = make("div", { class: "bar", role: "img", "aria-label": "no evaluation" }, this.white, this.text);
    host.prepend(this.element);
  }

  // `expected` is White's expected score from 0 to 1, or null; `text` is the score.
  show(expected, text, turned) {
    const known = expected !== null && expected !== undefined;
    this.element.classList.toggle("turned", turned);
    this.element.classList.toggle("unknown", !known);
    this.element.classList.toggle("ahead", known && expected >= 0.5);
    this.white.style.transform = `scaleY(${known ? expected.toFixed(4) : 0.5})`;
    if (this.text.textContent !== text) this.text.textContent = text;
    set(this.element, "aria-label", known ? `White's expected score ${(100 * expected).toFixed(0)} %, ${text}` : "no evaluation");
  }
}

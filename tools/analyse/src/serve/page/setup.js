// The dialog to set up a position, which the server validates.

import { Board } from "./board.js";
import { button, draw, find, findAll, setText, set } from "./dom.js";
import { fail } from "./notices.js";
import { pieceName, pieces, placement, START } from "./text.js";

export class Setup {
  constructor(session, link, open) {
    Object.assign(this, { session, link, open, chess960: false, chosen: "move" });
    this.dialog = find("#setup-dialog");
    this.board = new Board(find("#setup-board"), {
      isFree: true,
      label: "position by hand",
      on: { place: (from, to) => this.move(from, to), press: (square) => this.press(square) },
    });
    this.buildPalette();
    find("#setup").addEventListener("click", () => this.start());
    for (const field of findAll("#setup-turn, #setup-ep")) field.addEventListener("change", () => this.changed());
    find("#setup-castling").addEventListener("change", () => { this.files = null; this.changed(); });
    const reset = (fen) => {
      this.chess960 = false;
      this.load(fen);
    };
    find("#setup-fen").addEventListener("change", (event) => reset(event.target.value.trim()));
    const acts = {
      "setup-start": () => reset(START),
      "setup-clear": () => reset("8/8/8/8/8/8/8/8 w - - 0 1"),
      "setup-flip": () => this.board.turn(!this.board.turned),
      "setup-random": () => { find("#setup-number").value = Math.floor(Math.random() * 960); this.number(); },
    };
    for (const [id, act] of Object.entries(acts)) find(`#${id}`).addEventListener("click", act);
    find("#setup-number").addEventListener("change", () => this.number());
    find("#setup-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.finish().catch(fail);
    });
  }

  buildPalette() {
    const palette = find("#palette");
    const add = (value, label, picture) => {
      const one = button("", { "data-piece": value, "aria-label": label, title: label, "aria-pressed": String(value === this.chosen) }, picture);
      palette.append(one);
    };
    add("move", "move pieces", "✥");
    for (const letter of "KQRBNPkqrbnp") add(letter, `put ${pieceName(letter)}`, draw("svg", { class: "pieces", viewBox: "0 0 100 100", "aria-hidden": "true" }, this.board.build(letter)));
    add("", "remove pieces", "⌫");
    palette.addEventListener("click", (event) => {
      const one = event.target.closest("button");
      if (!one) return;
      this.chosen = one.dataset.piece;
      for (const other of palette.children) set(other, "aria-pressed", String(other === one));
    });
  }

  start() {
    this.board.turn(this.isTurned?.() ?? false);
    this.chess960 = this.session.tree.state.chess960;
    this.dialog.showModal();
    this.load(this.session.node.fen);
  }

  // Shows a FEN in all fields.
  load(fen) {
    const [, turn, castling = "-", passant = "-", half, full] = fen.split(/\s+/);
    this.pieces = pieces(fen);
    this.counts = [half, full].map((text, at) => (/^\d+$/.test(text ?? "") ? text : String(at)));
    find("#setup-turn").value = turn === "b" ? "b" : "w";
    // Chess960 castling rights name rook files.
    this.files = /[a-hA-H]/.test(castling) ? castling : null;
    const king = (letter) => [...this.pieces].find(([, piece]) => piece === letter)?.[0][0] ?? "e";
    const rights = castling.replace(/[a-h]/g, (rook) => (rook > king("k") ? "k" : "q")).replace(/[A-H]/g, (rook) => (rook.toLowerCase() > king("K") ? "K" : "Q"));
    for (const box of findAll("#setup-castling input")) box.checked = rights.includes(box.value);
    find("#setup-ep").value = passant === "-" ? "" : passant;
    this.changed();
  }

  fen() {
    const checked = findAll("#setup-castling input").filter((box) => box.checked).map((box) => box.value).join("");
    return [placement(this.pieces), find("#setup-turn").value, this.files ?? (checked || "-"), find("#setup-ep").value.trim() || "-", ...this.counts].join(" ");
  }

  move(from, to) {
    const letter = this.pieces.get(from);
    this.pieces.delete(from);
    if (to) this.pieces.set(to, letter);
    this.board.fen = "";
    this.changed();
  }

  press(square) {
    if (this.chosen === "move") return;
    if (this.chosen && this.pieces.get(square) !== this.chosen) this.pieces.set(square, this.chosen);
    else this.pieces.delete(square);
    this.changed();
  }

  async number() {
    const number = Number(find("#setup-number").value);
    if (!Number.isInteger(number) || number < 0 || number > 959) {
      setText(find("#setup-problems"), `${find("#setup-number").value}; expected a number from 0 to 959`);
      return;
    }
    try {
      const { fen } = await this.link.ask("setup", { number });
      this.chess960 = true;
      this.load(fen);
    } catch (error) {
      setText(find("#setup-problems"), error.message);
    }
  }

  // Draws the position and validates it.
  async changed() {
    const fen = this.fen();
    this.board.show({ fen });
    find("#setup-fen").value = fen;
    const request = (this.request = (this.request ?? 0) + 1);
    let problems;
    try {
      const checked = await this.link.ask("setup", { fen, chess960: this.chess960 });
      if (request !== this.request) return;
      this.checked = checked;
      problems = checked.problems;
    } catch (error) {
      if (request !== this.request) return;
      this.checked = null;
      problems = [error.message];
    }
    setText(find("#setup-problems"), problems.map((problem) => problem.text ?? problem).join("; "));
    // Unusual positions can be analysed; invalid ones have no FEN.
    set(find("#setup-done"), "disabled", !this.checked?.fen);
  }

  // Opens the position as a new analysis.
  async finish() {
    await this.changed();
    if (!this.checked?.fen) return;
    this.dialog.close();
    this.open(this.checked.fen === START ? null : this.checked.fen, this.checked.chess960);
  }
}

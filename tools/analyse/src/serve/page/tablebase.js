// Tablebase results of the legal moves.

import { button, find, hide, set, setText, sync } from "./dom.js";

const ORDER = ["win", "cursed", "draw", "blessed", "loss"];
const NAMES = { win: "wins", cursed: "wins too slowly: draw by the fifty-move rule", draw: "draws", blessed: "loses too slowly: draw by the fifty-move rule", loss: "loses" };
const SIGNS = { win: "+", cursed: "(+)", draw: "=", blessed: "(−)", loss: "−" };

export class Tablebase {
  constructor(session) {
    this.session = session;
    this.part = find("#tablebase");
    this.part.addEventListener("click", (event) => {
      const uci = event.target.closest("button")?.dataset.uci;
      const move = session.info?.legal.find((legal) => legal.uci === uci);
      if (move) session.play(move);
    });
    session.on(() => this.draw());
  }

  draw() {
    const known = (this.session.info?.legal ?? []).filter(({ tablebase }) => tablebase);
    // Best moves first: fast wins, slow losses.
    const worth = ({ tablebase: { wdl, dtz } }) => 1000 * ORDER.indexOf(wdl) + (wdl === "loss" ? -dtz : dtz);
    known.sort((a, b) => worth(a) - worth(b));
    hide(this.part, !known.length);
    sync(this.part, known.map((move) => ({ key: move.uci, move })), ({ key }) => button("", { class: "chip", "data-uci": key }), (element, { move: { san, tablebase: { wdl, dtz } } }) => {
      setText(element, `${san} ${SIGNS[wdl]}${dtz && wdl !== "draw" ? ` ${dtz}` : ""}`);
      set(element, "class", `chip tb-${wdl}`);
      const name = `${san} ${NAMES[wdl]}${dtz && wdl !== "draw" ? `, ${dtz} plies to the next capture or pawn move` : ""}`;
      set(element, "title", name);
      set(element, "aria-label", name);
    });
  }
}

// A small board shown beside a move of a line.

import { Board } from "./board.js";
import { hide } from "./dom.js";

export class Preview {
  // `positionOf(place, pv)` returns the FEN after a line, or a promise of it.
  constructor(box, positionOf) {
    Object.assign(this, { box, positionOf });
    this.board = new Board(this.box, { isStill: true, label: "position after the move" });
    this.known = new Map();
  }

  // Shows the position after a line from a place.
  async show(element, place, pv) {
    const key = JSON.stringify([place, pv]);
    if (key === this.key) return;
    this.key = key;
    let fen = this.known.get(key);
    if (!fen) {
      try {
        fen = await this.positionOf(place, pv);
      } catch {
        return;
      }
      this.known.set(key, fen);
      if (this.known.size > 300) this.known.delete(this.known.keys().next().value);
    }
    if (this.key !== key || !element.isConnected) return;
    const move = pv[pv.length - 1];
    this.board.turn(this.isTurned?.() ?? false);
    this.board.show({ fen, last: move === "0000" ? null : [move.slice(0, 2), move.slice(2, 4)] });
    hide(this.box, false);
    const at = element.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.box;
    const below = at.bottom + 6 + height < innerHeight || at.top < height + 6;
    this.box.style.left = `${Math.max(4, Math.min(at.left, innerWidth - width - 4))}px`;
    this.box.style.top = `${below ? at.bottom + 6 : at.top - 6 - height}px`;
  }

  hide() {
    this.key = null;
    hide(this.box, true);
  }
}

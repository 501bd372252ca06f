// The report of a game: White's expected score over its moves, and the accuracy of both sides.

import { find, hide, make, setText, set, soon, sync } from "./dom.js";
import { graph } from "./graph.js";
import { nag } from "./text.js";

// Shapes of marks.
const SHAPES = new Map([[6, "▲"], [2, "◆"], [4, "■"]]);

export class Report {
  constructor(session) {
    Object.assign(this, { session, drawn: null });
    this.graph = find("#report-graph");
    const redraw = soon(() => this.draw());
    session.on(redraw);
    const at = (event) => {
      const box = this.graph.getBoundingClientRect();
      return Math.max(0, Math.min(this.plies, Math.round((event.clientX - box.left) / box.width * this.plies)));
    };
    this.graph.addEventListener("pointermove", (event) => setText(find("#report-at"), this.described(at(event))));
    this.graph.addEventListener("pointerleave", () => this.draw());
  }

  get plies() {
    return this.session.report?.moves.length ?? 0;
  }

  go(ply) {
    const { session } = this;
    session.go(session.tree.follow(session.report.moves.slice(0, ply)));
  }

  // Number of moves that the current position shares with the report.
  get ply() {
    const moves = this.session.tree.moves();
    const { report } = this.session;
    const differs = moves.findIndex((uci, at) => uci !== report.moves[at]);
    return differs < 0 ? moves.length : differs;
  }

  // A move with its mark and score.
  described(ply) {
    const { report, tree } = this.session;
    const value = report.text[ply] === null ? "not analysed" : `${report.text[ply]}, White ${Math.round(100 * report.expected[ply])} %`;
    const name = tree.name(tree.follow(report.moves.slice(0, ply)));
    if (ply === 0 || !name) return `start · ${value}`;
    const mark = report.marks[ply - 1];
    return `${name}${mark ? nag(mark) : ""} · ${value}`;
  }

  draw() {
    const { report } = this.session;
    hide(find("#report"), !report?.moves.length);
    if (!report?.moves.length) return;
    if (report !== this.drawn) {
      this.drawn = report;
      this.drawCurve(report);
      this.drawSides(report);
    }
    const { ply, plies } = this;
    this.mark(ply);
    const text = this.described(ply);
    setText(find("#report-at"), text);
    for (const [key, value] of [["aria-valuemax", plies], ["aria-valuenow", ply], ["aria-valuetext", text]]) set(this.graph, key, value);
  }

  drawCurve({ expected, marks }) {
    const plies = marks.length;
    this.mark = graph(find("svg", this.graph), expected.map((value) => ({ expected: value })), (ply) => this.go(ply));
    const shown = marks.map((mark, at) => ({ key: at + 1, mark, value: expected[at + 1] })).filter(({ mark, value }) => SHAPES.has(mark) && value !== null);
    sync(find("#report-marks"), shown, () => make("span"), (element, { key, mark, value }) => {
      set(element, "data-nag", mark);
      setText(element, SHAPES.get(mark));
      element.style.left = `${100 * key / plies}%`;
      element.style.top = `${100 - 100 * value}%`;
    });
  }

  drawSides({ sides, found, expected }) {
    const { tags } = this.session.tree.state;
    const rows = ["White", "Black"].map((color, at) => ({ key: color, name: tags.find(([key]) => key === color)?.[1] ?? color, side: sides[at] }));
    sync(find("#report-sides"), rows, () => make("tr", {}, make("th", { scope: "row" }), ...Array.from({ length: 5 }, () => make("td", { class: "number" }))), (element, { name, side }) => {
      const values = side ? [`${side.accuracy.toFixed(1)} %`, (side.loss / 100).toFixed(2), ...side.marks] : ["–", "–", "–", "–", "–"];
      [name, ...values].forEach((value, at) => setText(element.children[at], value));
    });
    setText(find("#report-accuracy"), `Accuracy ${sides.map((side) => (side ? `${side.accuracy.toFixed(1)} %` : "–")).join(" : ")}`);
    const known = expected.filter((value) => value !== null).length;
    setText(find("#report-found"), known < expected.length ? `${found} of ${expected.length} positions analysed so far.` : "");
  }
}

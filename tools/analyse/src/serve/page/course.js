// History of best move and score of a position.

import { draw, find, hide, make, setText, set, sync } from "./dom.js";
import { percent, plural, score, time } from "./text.js";

// Maximum rows of the table, latest first.
const ROWS = 12;

// Draws White's expected score over time, on a logarithmic scale. Points are milliseconds and the score from 0 to 1, which holds until
// the next point.
export const drawCourse = (svg, points) => {
  const x = ([ms]) => Math.log2(Math.max(1, ms));
  const last = points[points.length - 1];
  const [start, end] = [x(points[0]), Math.max(x(last), x(points[0]) + 1)];
  const steps = points.map((point, at) => `V${(100 * (1 - point[1])).toFixed(1)}H${at + 1 < points.length ? x(points[at + 1]) : end}`);
  set(svg, "viewBox", `${start} 0 ${end - start} 100`);
  if (!svg.childNodes.length) svg.append(draw("path", { class: "area" }), draw("path", { class: "half" }));
  const [area, half] = svg.children;
  set(area, "d", `M${start} 100${steps.join("")}V100Z`);
  set(half, "d", `M${start} 50H${end}`);
  set(svg, "aria-label", `White's expected score over time, ${percent(points[0][1])} to ${percent(last[1])}`);
};

export class Course {
  constructor() {
    this.part = find("#course");
    this.part.addEventListener("toggle", () => this.show(this.points));
    this.points = [];
  }

  // Points are milliseconds, depth, White's score, White's expected score and move.
  show(points) {
    this.points = points;
    hide(this.part, points.length < 2);
    if (points.length < 2) return;
    const changes = points.filter((point, at) => at === 0 || point[4] !== points[at - 1][4]);
    const last = points[points.length - 1];
    setText(find("summary", this.part), `History: ${last[4]}${changes.length === 1 ? "" : ` after ${plural(changes.length - 1, "change")}`}, ${time(last[0])}`);
    if (!this.part.open) return;
    drawCourse(find("#course-graph"), points.map(([ms, , , expected]) => [ms, expected]));
    const rows = points.map((point, key) => ({ key, point })).filter(({ point }) => point === last || changes.includes(point));
    sync(find("#course-rows"), rows.slice(-ROWS).reverse(), () => make("tr", {}, make("td", { class: "number" }), make("td", { class: "number" }), make("td", { class: "number" }), make("td")), (row, { point: [ms, depth, value, , san] }) => {
      [time(ms), depth, score(value), san].forEach((text, at) => setText(row.children[at], text));
    });
  }
}

// A clickable graph of White's expected score by ply.

import { draw, set } from "./dom.js";

// Draws points `{expected, mark}`: White's expected score from 0 to 1 or null, and the NAG of the move before. Calls `call` with the
// ply clicked or dragged to. Returns a function that marks a ply.
export const graph = (svg, points, call) => {
  const last = Math.max(1, points.length - 1);
  const height = ({ expected }) => (100 * (1 - expected)).toFixed(1);
  const isKnown = (point) => point !== undefined && point.expected !== null;
  let area = "";
  const gaps = [];
  points.forEach((point, ply) => {
    if (!isKnown(point) || !isKnown(points[ply + 1])) {
      if (ply < last) gaps.push(draw("rect", { class: "gap", x: ply, width: 1, height: 100 }));
    }
    if (!isKnown(point)) return;
    area += `${isKnown(points[ply - 1]) ? "L" : `M${ply} 100L`}${ply} ${height(point)}`;
    if (!isKnown(points[ply + 1])) area += "V100Z";
  });
  const isMarked = (point) => isKnown(point) && (point.mark === 2 || point.mark === 4);
  const marks = points.flatMap((point, ply) => (isMarked(point) ? [draw("path", { class: `q${point.mark}`, d: `M${ply} ${height(point)}h0` })] : []));
  const now = draw("path", { class: "now" });
  set(svg, "viewBox", `0 0 ${last} 100`);
  svg.replaceChildren(...gaps, draw("path", { class: "area", d: area }), draw("path", { class: "half", d: `M0 50H${last}` }), ...marks, now);
  const seek = (event) => {
    const box = svg.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    call(Math.max(0, Math.min(points.length - 1, Math.round(share * last))));
  };
  // Assigned, not added, since a graph may be redrawn.
  svg.onpointerdown = (event) => { svg.setPointerCapture(event.pointerId); seek(event); };
  svg.onpointermove = (event) => { if (event.buttons & 1) seek(event); };
  return (ply) => set(now, "d", `M${ply} 0V100`);
};

// Announcements for screen readers, and visible notices.

import { button, find, make } from "./dom.js";

let turn = 0;

// Announces a text. Alternates between two regions, since browsers speak only changes.
export const announce = (text) => {
  const regions = [find("#said-0"), find("#said-1")];
  turn = 1 - turn;
  regions[1 - turn].textContent = "";
  // Chrome does not speak a text set in the task that cleared the region.
  setTimeout(() => { regions[turn].textContent = text; }, 30);
};

// Shows a notice, optionally with a button.
export const notice = (text, { label = null, call = null, seconds = 8, isError = false } = {}) => {
  const box = make("div", { class: isError ? "notice error" : "notice" }, make("span", {}, text));
  const remove = () => box.remove();
  if (label) box.append(button(label, { click: () => { remove(); call(); } }));
  box.append(button("×", { class: "plain", "aria-label": "close this notice", click: remove }));
  const notices = find("#notices");
  for (const old of [...notices.children].slice(0, -2)) old.remove();
  notices.append(box);
  announce(text);
  // Keeps notices that are hovered or focused.
  const leave = () => (box.matches(":hover, :focus-within") ? setTimeout(leave, 2000) : remove());
  setTimeout(leave, seconds * 1000);
  return box;
};

export const fail = (error) => { notice(error.message ?? String(error), { isError: true, seconds: 12 }); };

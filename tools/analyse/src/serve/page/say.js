// Announcements for screen readers, and notices for all.

import { button, find, make } from "./dom.js";

let turn = 0;

// Speaks a text. Two regions take turns, for a browser speaks a change only.
export const announce = (text) => {
  const regions = [find("#said-0"), find("#said-1")];
  turn = 1 - turn;
  regions[1 - turn].textContent = "";
  // A text in the same task as its region's emptying is not spoken by Chrome.
  setTimeout(() => { regions[turn].textContent = text; }, 30);
};

// Shows a notice, perhaps with a button.
export const notice = (text, { label = null, call = null, seconds = 8, isError = false } = {}) => {
  const box = make("div", { class: isError ? "notice error" : "notice" }, make("span", {}, text));
  const remove = () => box.remove();
  if (label) box.append(button(label, { click: () => { remove(); call(); } }));
  box.append(button("×", { class: "plain", "aria-label": "close this notice", click: remove }));
  const notices = find("#notices");
  for (const old of [...notices.children].slice(0, -2)) old.remove();
  notices.append(box);
  announce(text);
  // A notice that is pointed at or focused stays.
  const leave = () => (box.matches(":hover, :focus-within") ? setTimeout(leave, 2000) : remove());
  setTimeout(leave, seconds * 1000);
  return remove;
};

export const fail = (error) => notice(error.message ?? String(error), { isError: true, seconds: 12 });

// Keyboard shortcuts, and the mouse wheel over the board.

import { find, findAll } from "./dom.js";

// Wheel distance of a move, in pixels.
const WHEEL = 60;

// Names of actions.
const KEYS = new Map([
  ["ArrowLeft", "back"], ["ArrowRight", "forward"], ["ArrowUp", "previous"], ["ArrowDown", "next"], ["Home", "first"], ["End", "last"],
  ["f", "flip"], ["l", "engine"], ["x", "threat"], ["e", "speak"], [" ", "best"], ["?", "keys"], ["c", "comment"], ["m", "type"], ["v", "keep"], ["n", "mistake"], ["p", "earlier"], ["Delete", "remove"], ["+", "more"], ["-", "fewer"],
]);

// The key, or without Latin letters on the layout the letter at its place.
const keyOf = ({ key, code }) => (key.length === 1 && key > "~" && /^Key[A-Z]$/.test(code) ? code[3].toLowerCase() : key);

export const bindKeys = (actions) => {
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    const key = keyOf(event);
    if (event.defaultPrevented || find("dialog[open]")) return;
    const isText = target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");
    if (actions.undo && (event.ctrlKey || event.metaKey) && !event.altKey && key.toLowerCase() === "z" && !(isText && !target.dataset.at)) {
      event.preventDefault();
      actions[event.shiftKey ? "redo" : "undo"]();
      return;
    }
    if (actions.redo && (event.ctrlKey || event.metaKey) && key.toLowerCase() === "y" && !(isText && !target.dataset.at)) {
      event.preventDefault();
      actions.redo();
      return;
    }
    if (isText && event.key === "Escape") target.blur();
    if (isText || event.ctrlKey || event.altKey || event.metaKey) return;
    const action = KEYS.get(key);
    // Space presses buttons, except the current move, and checkboxes, and arrows navigate tabs and menus.
    if (!actions[action] || (event.key === " " && target.closest("button:not(.move[aria-current]), input, summary, a")) || (event.key.startsWith("Arrow") && target.closest("[role=tab], [role=menu]"))) return;
    // Delete applies to moves only.
    if (action === "remove" && target !== document.body && !target.closest("#moves, #board, .go")) return;
    if (event.key.startsWith("Arrow") && target.closest(".scroll")) return;
    if (event.repeat && !["back", "forward"].includes(action)) return;
    event.preventDefault();
    actions[action]();
  });
};

export const bindWheel = (element, actions) => {
  let sum = 0;
  let last = 0;
  element.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    const now = performance.now();
    if (now - last > 300 || Math.sign(sum) !== Math.sign(event.deltaY)) sum = 0;
    last = now;
    sum += event.deltaMode === 1 ? event.deltaY * 33 : event.deltaY;
    if (Math.abs(sum) < WHEEL) return;
    actions[sum > 0 ? "forward" : "back"]();
    sum = 0;
  }, { passive: false });
};

// Tabs with arrow keys. Calls `call` with the id of the selected tab.
export const bindTabs = (list, call) => {
  const tabs = () => findAll("[role=tab]", list).filter((tab) => !tab.hidden);
  const choose = (tab) => {
    for (const one of findAll("[role=tab]", list)) {
      const isChosen = one === tab;
      one.setAttribute("aria-selected", String(isChosen));
      one.tabIndex = isChosen ? 0 : -1;
      document.getElementById(one.getAttribute("aria-controls")).hidden = !isChosen;
    }
    call(tab.id);
  };
  list.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) choose(tab);
  });
  list.addEventListener("keydown", (event) => {
    const all = tabs();
    const at = all.indexOf(document.activeElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    const tab = all[(next + all.length) % all.length];
    choose(tab);
    tab.focus();
  });
  return choose;
};

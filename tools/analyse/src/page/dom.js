// Helpers for DOM elements. Untrusted text is never parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

export const find = (selector, within = document) => within.querySelector(selector);
export const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];

const withParts = (element, attributes, parts) => {
  for (const [key, value] of Object.entries(attributes)) set(element, key, value);
  element.append(...parts);
  return element;
};

// Creates an HTML or SVG element. Attributes that are functions are listeners.
export const make = (name, attributes = {}, ...parts) => withParts(document.createElement(name), attributes, parts);
export const draw = (name, attributes = {}, ...parts) => withParts(document.createElementNS(SVG, name), attributes, parts);

// Sets or removes an attribute, if it differs.
export const set = (element, key, value) => {
  if (typeof value === "function") element.addEventListener(key, value);
  else if (value === null || value === undefined || value === false) element.removeAttribute(key);
  else if (element.getAttribute(key) !== String(value)) element.setAttribute(key, value === true ? "" : value);
};

// Sets the text of an element. Keeps the text node, and with it selections.
export const setText = (element, text) => {
  const known = String(text ?? "");
  if (element.childNodes.length === 1 && element.firstChild.nodeType === Node.TEXT_NODE) {
    if (element.firstChild.data !== known) element.firstChild.data = known;
  } else if (element.textContent !== known) {
    element.textContent = known;
  }
};

export const hide = (element, hidden) => {
  if (element.hidden !== hidden) element.hidden = hidden;
};

// Scrolls a list to one of its elements, or to its start, but not the page.
export const reveal = (list, element) => {
  if (!element) {
    list.scrollTop = 0;
    return;
  }
  const [box, own] = [list.getBoundingClientRect(), element.getBoundingClientRect()];
  const margin = own.height;
  if (own.top - margin < box.top) list.scrollTop += own.top - margin - box.top;
  else if (own.bottom + margin > box.bottom) list.scrollTop += own.bottom + margin - box.bottom;
};

export const button = (label, attributes = {}, ...parts) => make("button", { type: "button", ...attributes }, ...(parts.length ? parts : [label]));

const ICONS = {
  copy: "M8 8h11v12H8zM5 16V4h11",
  remove: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5",
  more: "M6 9l6 6 6-6",
};

// The icon of a button, which also needs a label.
export const icon = (name) => draw("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, draw("path", { d: ICONS[name] }));

const keyed = new WeakMap();

// Updates the children of an element to match items with a `key`. Elements are reused by key.
export const sync = (parent, items, build, update) => {
  const old = keyed.get(parent) ?? new Map();
  const next = new Map(items.map((item) => [item.key, old.get(item.key)]));
  for (const [key, element] of old) if (!next.has(key)) element.remove();
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  let at = parent.firstChild;
  for (const item of items) {
    const element = next.get(item.key) ?? build(item);
    next.set(item.key, element);
    update(element, item);
    if (element === at) at = at.nextSibling;
    else parent.insertBefore(element, at);
  }
  keyed.set(parent, next);
  if (focused && focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
};

let warned = false;

// Settings in the storage of the browser or the tab, which may be missing, full or corrupt.
export const store = {
  get(key, otherwise = null, area = "localStorage") {
    try {
      const value = JSON.parse(window[area].getItem(`lento.${key}`));
      return value === null || (otherwise !== null && typeof value !== typeof otherwise) ? otherwise : value;
    } catch {
      return otherwise;
    }
  },
  set(key, value, area = "localStorage") {
    try {
      if (value === null) window[area].removeItem(`lento.${key}`);
      else window[area].setItem(`lento.${key}`, JSON.stringify(value));
      return true;
    } catch {
      if (!warned) document.dispatchEvent(new CustomEvent("unstored"));
      warned = true;
      return false;
    }
  },
};

// Copies text to the clipboard, even over plain HTTP.
export const copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const dialog = find("dialog[open]") ?? document.body;
    const area = make("textarea", { class: "hidden", readonly: true, "aria-hidden": "true" });
    const focused = document.activeElement;
    area.value = text;
    dialog.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    focused?.focus?.();
    return copied;
  }
};

export const save = (name, type, text) => {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
};

// Returns a function that schedules one call: at the next frame, or after 200 ms if the page is hidden or frozen and has none.
export const soon = (call) => {
  let frame = null;
  let timer = null;
  const run = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    timer = null;
    call();
  };
  return () => {
    if (timer !== null) return;
    frame = requestAnimationFrame(run);
    timer = setTimeout(run, 200);
  };
};

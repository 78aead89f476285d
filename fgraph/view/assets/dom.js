// Elements and text. Nothing here, or anywhere on the page, turns stored text into markup.

// Controls and characters that are invisible or turn the direction of text; joiners stay, scripts and emoji need them.
const INVISIBLE = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e" +
  "\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]", "gu");

function codePoint(character) {
  return `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

// Text as nodes, with a visible mark in the place of each invisible character.
function nodes(text) {
  const made = [];
  let end = 0;
  for (const found of text.matchAll(INVISIBLE)) {
    if (found.index > end) made.push(document.createTextNode(text.slice(end, found.index)));
    const mark = document.createElement("span");
    mark.className = "code";
    mark.textContent = codePoint(found[0]);
    made.push(mark);
    end = found.index + found[0].length;
  }
  if (end < text.length) made.push(document.createTextNode(text.slice(end)));
  return made;
}

// Text for places that take no elements.
function plain(text) {
  return text.replace(INVISIBLE, codePoint);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, plain(String(value)));
  }
  for (const child of children.flat(Infinity)) {
    if (child == null || child === false) continue;
    element.append(...(child instanceof Node ? [child] : nodes(String(child))));
  }
  return element;
}

function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

const PAGE_SIZE = 100;

// A list that shows its items page by page.
function paged(items, make, size = PAGE_SIZE) {
  const list = el("div");
  const more = el("button", { type: "button", class: "more", onclick: () => show() });
  let shown = 0;
  function show() {
    const first = shown;
    shown = Math.min(items.length, shown + size);
    list.append(...items.slice(first, shown).map(make));
    more.hidden = shown === items.length;
    more.textContent = `Show more (${(items.length - shown).toLocaleString("en")} left)`;
    if (first) list.children[first].querySelector("a, button")?.focus();
  }
  show();
  return el("div", {}, list, more);
}

const TYPING_PAUSE = 120; // milliseconds

// A search field; `changed` is called with its text when the reader pauses.
function searchField(label, text, changed) {
  let timer = 0;
  const input = el("input", {
    type: "search", value: text, autocomplete: "off", spellcheck: "false",
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(() => changed(input.value), TYPING_PAUSE);
    },
  });
  return el("label", { class: "grow" }, label, input);
}

// A choice; `options` are [value, text] pairs.
function choice(label, options, chosen, changed) {
  const select = el("select", { onchange: () => changed(select.value) },
    options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
  return el("label", {}, label, select);
}

// What all parts of a page share.  Each part is a function of its own; `page` is where they find one another.
const data = JSON.parse(document.getElementById("data").textContent);
const page = {};
const SVG = "http://www.w3.org/2000/svg";
const at = (id) => document.getElementById(id);

// Texts of the model become text nodes and attributes only: nothing of them is ever parsed as markup.
function dress(element, settings) {
  for (const [key, value] of Object.entries(settings)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  return element;
}
function make(name, settings = {}, ...children) {
  const element = dress(document.createElement(name), settings);
  element.append(...children.filter((child) => child !== null && child !== undefined).map((c) => (c instanceof Node ? c : String(c))));
  return element;
}
function draw(name, settings = {}, text = null) {
  const element = dress(document.createElementNS(SVG, name), settings);
  if (text !== null) element.textContent = text;
  return element;
}

const known = (x) => typeof x === "number" && Number.isFinite(x);
const short = (x) => Number(x.toPrecision(3)).toString();
const percent = (x) => (!known(x) ? "–" : x === 0 ? "0" : x < 0.0001 ? "<0.01 %" : (100 * x).toFixed(2) + " %");
const count = (n) => (!known(n) ? "unknown" : n >= 1e9 ? short(n / 1e9) + " G" : n >= 1e6 ? short(n / 1e6) + " M" : String(n).replace(/\B(?=(\d{3})+$)/g, ","));
const plural = (n, one, many = one + "s") => `${count(n)} ${n === 1 ? one : many}`;
const by = (f) => (a, b) => f(a) - f(b);
function bytes(n) {
  if (!known(n)) return "–";
  const units = ["B", "KB", "MB", "GB"];
  let k = 0;
  while (n >= 1000 && k < 3) { n /= 1000; k += 1; }
  return (k ? n.toFixed(1) : n) + " " + units[k];
}

function tile(name, value, note, mark = "") {
  return make("div", { class: "tile" }, make("dl", {}, make("dt", {}, name), make("dd", { class: mark }, value, note ? make("small", {}, note) : null)));
}
// A table.  columns: [heading, whether its cells are numbers].
function grid(columns, rows) {
  const kind = (i) => (columns[i][1] ? "number" : "");
  return make("div", { class: "scroll", tabindex: "0" }, make("table", {},
    make("thead", {}, make("tr", {}, ...columns.map(([name], i) => make("th", { scope: "col", class: kind(i) }, name)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell, i) => make("td", { class: kind(i) }, cell)))))));
}
function copier(text) {
  const button = make("button", { class: "copy", type: "button", "aria-label": "Copy " + text }, "Copy");
  button.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; }
    catch { button.textContent = "Not allowed"; }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return button;
}

const tip = at("tip");
function show(event, lines) {
  tip.replaceChildren(...lines.map((line, i) => make("div", i ? {} : { class: "name" }, line)));
  tip.hidden = false;
  const x = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
  const y = event.clientY + 18 + tip.offsetHeight > window.innerHeight ? event.clientY - tip.offsetHeight - 12 : event.clientY + 18;
  tip.style.left = Math.max(4, x) + "px";
  tip.style.top = y + "px";
}
const hide = () => { tip.hidden = true; };

// Bars of one scale.  items: [name, value]; those behind `most` are behind a click.
page.bars = (items, text, most = 40) => {
  const largest = Math.max(...items.map(([, value]) => value), 0) || 1;
  const rows = items.map(([name, value]) => {
    const fill = make("i");
    fill.style.width = Math.max(0.4, (100 * value) / largest) + "%";
    return make("div", { class: "barred" }, make("span", { class: "name" }, name), make("span", { class: "amount" }, text(value)), make("span", { class: "track" }, fill));
  });
  const rest = rows.slice(most);
  return make("div", {}, ...rows.slice(0, most), rest.length ? make("details", {}, make("summary", {}, `${count(rest.length)} more`), ...rest) : null);
};

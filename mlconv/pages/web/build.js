// A table of the conversions of a project: what became of each, what it was held to, what was found.
const STEP = 200;
const MARKS = { built: "good", failed: "bad", stale: "fair", "up to date": "fresh" };
const all = data.build.conversions;
const seconds = (s) => (!s ? "–" : s >= 1 ? `${s.toFixed(2)} s` : `${short(1000 * s)} ms`);
const value = (name, x) => (x === null ? "unknown" : name === "size" ? bytes(x) : name === "time" ? seconds(x) : short(x));
const found = new Map(Object.keys(MARKS).map((state) => [state, all.filter((one) => one.state === state).length]));

at("build-tiles").append(tile("Conversions", count(all.length)),
  ...[...found].filter(([, n]) => n).map(([state, n]) => tile(state[0].toUpperCase() + state.slice(1), count(n), null, MARKS[state])),
  tile("Artifacts", bytes(all.reduce((sum, one) => sum + one.size, 0))), tile("Time", seconds(data.build.seconds), "of the whole build"));
const stack = make("div", { class: "stack", role: "img", "aria-label": [...found].map(([state, n]) => `${n} ${state}`).join(", ") });
for (const [state, n] of found) {
  if (!n) continue;
  const part = make("i", { class: MARKS[state], title: `${state}: ${n}` });
  part.style.flexGrow = n;
  stack.append(part);
}
at("build-chart").append(stack);

const columns = [["conversion", (one) => one.name], ["state", (one) => one.state], ["target", (one) => one.target], ["size", (one) => one.size, 1],
  ["ops", (one) => one.ops, 1], ["time", (one) => one.seconds, 1], ["what was found", (one) => one.diagnostics.length]];
const order = { column: -1, down: false };
at("build-table").tHead.rows[0].append(...columns.map(([name, , number], i) => {
  const head = make("th", { scope: "col", class: number ? "number" : "" }, make("button", { type: "button", onclick: () => sort(i) }, name));
  return head;
}));
function sort(i) {
  Object.assign(order, { down: order.column === i && !order.down, column: i });
  [...at("build-table").tHead.rows[0].cells].forEach((cell, k) => (k === i ? cell.setAttribute("aria-sort", order.down ? "descending" : "ascending") : cell.removeAttribute("aria-sort")));
  fill();
}
const filter = { text: "", state: "", shown: STEP };
function fits(one) {
  if (filter.state && one.state !== filter.state) return false;
  const text = `${one.name} ${one.model} ${one.output} ${one.target} ${one.why} ${one.diagnostics.map((d) => d.code + " " + d.message).join(" ")}`.toLowerCase();
  return filter.text.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
function remarks(one) {
  const bounds = one.bounds.map((b) => make("p", { class: b.ok ? "muted" : "bad" }, `${b.name} ${value(b.name, b.value)}, bound ${value(b.name, b.limit)}`));
  const told = one.diagnostics.map((d) => make("p", {}, make("span", { class: "severity " + d.severity }, `${d.severity} ${d.code}`), ": ", d.message,
    d.file ? make("span", { class: "name where" }, ` ${d.file}:${d.line}`) : null));
  return [one.why ? make("p", { class: "muted" }, one.why) : null, ...bounds, ...told].filter(Boolean);
}
function row(one) {
  return make("tr", {},
    make("td", {}, make("span", { class: "name" }, one.name), make("div", { class: "name where" }, `${one.model} → ${one.output}`)),
    make("td", { class: MARKS[one.state] }, one.state), make("td", {}, one.target), make("td", { class: "number" }, one.size ? bytes(one.size) : "–"),
    make("td", { class: "number" }, one.ops ? count(one.ops) : "–"), make("td", { class: "number" }, seconds(one.seconds)), make("td", {}, ...remarks(one)));
}
function fill() {
  const rows = all.filter(fits);
  if (order.column >= 0) {
    const key = columns[order.column][1];
    rows.sort((a, b) => (order.down ? -1 : 1) * (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
  }
  at("build-table").tBodies[0].replaceChildren(...rows.slice(0, filter.shown).map(row));
  at("build-count").textContent = rows.length === all.length ? plural(all.length, "conversion") : `${count(rows.length)} of ${plural(all.length, "conversion")}`;
  at("build-more").hidden = rows.length <= filter.shown;
  at("build-more").textContent = `Show ${count(Math.min(rows.length - filter.shown, 10 * STEP))} more of ${count(rows.length - filter.shown)}`;
}
at("build-state").append(make("option", { value: "" }, "all"), ...[...found].filter(([, n]) => n).map(([state]) => make("option", { value: state }, state)));
at("build-filter").addEventListener("input", () => { Object.assign(filter, { text: at("build-filter").value.trim(), shown: STEP }); fill(); });
at("build-state").addEventListener("input", () => { Object.assign(filter, { state: at("build-state").value, shown: STEP }); fill(); });
at("build-tools").addEventListener("submit", (event) => event.preventDefault());
at("build-more").addEventListener("click", () => { filter.shown += 10 * STEP; fill(); });
fill();

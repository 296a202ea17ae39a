// A table of the source's ops with what became of each, and how many there are of each fate.
const STEP = 100;
const source = page.graphs[0], target = page.graphs[1];
const total = source.size;
const by = new Map(page.statuses.map((status) => [status, 0]));
for (let i = 0; i < total; i += 1) by.set(page.fate(i).status, by.get(page.fate(i).status) + 1);

const share = (n) => (total ? Math.round((100 * n) / total) : 0);
const stack = make("div", { class: "stack", role: "img", "aria-label": [...by].map(([status, n]) => `${n} ${page.words[status][0]}`).join(", ") });
for (const [status, n] of by) {
  const part = make("i", { class: status, title: `${page.words[status][0]}: ${n}` });
  part.style.flexGrow = n;
  stack.append(part);
}
at("fates-head").textContent = `${plural(total, "op")} of the source, ${plural(target.size + target.omitted, "op")} of ${target.label}.`
  + (source.omitted ? ` ${count(source.omitted)} more of the source are not on this page.` : "");
at("fates-chart").append(stack, grid([["fate"], ["ops", 1], ["share", 1], ["which means"]],
  [...by].map(([status, n]) => [make("span", { class: "status " + status }, page.words[status][0]), count(n), `${share(n)} %`, page.words[status][1]])));

const filter = { text: "", status: "", shown: STEP };
function fits(i) {
  const fate = page.fate(i);
  if (filter.status && fate.status !== filter.status) return false;
  if (!filter.text) return true;
  const text = `${source.kind(i)} ${source.name(i)} ${page.place(source, i)} ${fate.by} ${fate.ops.map(target.kind).join(" ")}`.toLowerCase();
  return filter.text.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
function becomes(ops) {
  const link = (op) => make("button", { type: "button", class: "go", onclick: () => page.go(1, op) }, [target.title(op), target.results(op).length ? target.type(target.results(op)[0]) : ""].join(" "));
  const few = ops.slice(0, 3).map((op) => make("div", {}, link(op)));
  return [...few, ops.length > 3 ? make("details", {}, make("summary", {}, `${count(ops.length - 3)} more`), make("ul", {}, ...ops.slice(3, 60).map((op) => make("li", {}, link(op))))) : null].filter(Boolean);
}
function row(i) {
  const { status, by: pass, ops } = page.fate(i), place = page.place(source, i);
  return make("tr", { "data-node": i },
    make("td", {}, make("button", { type: "button", class: "go", onclick: () => page.go(0, i) }, source.title(i)), make("div", { class: "name where" }, source.name(i))),
    make("td", {}, make("div", { class: "spot" }, place || "–")),
    make("td", {}, make("span", { class: "status " + status }, page.words[status][0]), pass ? make("small", { class: "muted" }, ` by ${pass}`) : null),
    make("td", {}, ...(ops.length ? becomes(ops) : ["–"])));
}
function fill() {
  const found = [];
  for (let i = 0; i < total; i += 1) if (fits(i)) found.push(i);
  at("fates-table").tBodies[0].replaceChildren(...found.slice(0, filter.shown).map(row));
  at("fates-count").textContent = found.length === total ? plural(total, "op") : `${count(found.length)} of ${plural(total, "op")}`;
  at("fates-more").hidden = found.length <= filter.shown;
  at("fates-more").textContent = `Show ${count(Math.min(found.length - filter.shown, 10 * STEP))} more of ${count(found.length - filter.shown)}`;
}
at("fates-status").append(make("option", { value: "" }, "all"), ...page.statuses.map((status) => make("option", { value: status }, page.words[status][0])));
at("fates-filter").addEventListener("input", () => { Object.assign(filter, { text: at("fates-filter").value.trim(), shown: STEP }); fill(); });
at("fates-status").addEventListener("input", () => { Object.assign(filter, { status: at("fates-status").value, shown: STEP }); fill(); });
at("fates-tools").addEventListener("submit", (event) => event.preventDefault());
at("fates-more").addEventListener("click", () => { filter.shown += 10 * STEP; fill(); });
fill();

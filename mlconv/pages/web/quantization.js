const report = data.quantization;
const EXACT = 150;
const decibels = (x) => (!known(x) ? "–" : x >= EXACT ? "exact" : x.toFixed(1));
const grade = (x) => (!known(x) ? "" : x >= 30 ? "good" : x >= 20 ? "fair" : "bad");
const times = (x) => (!known(x) ? "–" : x.toFixed(x < 10 ? 1 : 0) + "×");
const millis = (x) => (!known(x) ? "–" : Number(x.toPrecision(4)).toString());
const range = (l) => (known(l.low) && known(l.high) ? `[${short(l.low)}, ${short(l.high)}]` : "–");
const op = (l) => l.op.replace(/^core\./, "");
const place = (l) => l.line || l.node || "no name";
const layers = report.layers.map((l, i) => ({ ...l, index: i }));
const stored = layers.filter((l) => l.scheme !== "float");
stored.forEach((l, i) => { l.number = i + 1; });
const floats = layers.filter((l) => l.scheme === "float");
const measured = stored.filter((l) => known(l.network_snr) || known(l.snr));
const own = (l) => l.causes.find((c) => c.cause !== "earlier") || null;
const brief = (c) => (c.cause === "earlier" ? "from layers in front" : c.text);

const help = (cause) => (!cause || !cause.help ? null
  : make("div", { class: "help" }, ...(cause.help.startsWith("--") ? [make("code", {}, cause.help), copier(cause.help)] : [make("span", { class: "muted" }, cause.help)])));

function summary() {
  const { integers, all } = report.products;
  const outputs = report.outputs.filter((o) => known(o.snr)).sort(by((o) => o.snr));
  const shrunk = report.float_bytes ? `from ${bytes(report.float_bytes)}, ${short(100 * report.stored_bytes / report.float_bytes)} %` : "";
  at("quantization-summary").append(
    tile("Scheme", report.scheme, report.target ? `for ${report.target}` : ""),
    tile("Products in fewer bits", `${integers} of ${all}`, floats.length ? `${floats.length} other ${floats.length === 1 ? "op stays" : "ops stay"} float` : "nothing stays float"),
    tile("Worst output", outputs.length ? decibels(outputs[0].snr) + (outputs[0].snr < EXACT ? " dB" : "") : "–", outputs.length ? outputs[0].name : "not measured", grade(outputs.length ? outputs[0].snr : null)),
    tile("Weights", bytes(report.stored_bytes), shrunk),
    tile("File", bytes(report.output_bytes), report.source_bytes ? `model ${bytes(report.source_bytes)}` : ""),
    tile("Samples", String(report.samples), report.measured ? `losses on ${report.measured} of them; ${report.equalized} values equalized` : "losses were not measured"),
    report.limits ? tile("Approximate", `${report.limits} ${report.limits === 1 ? "layer" : "layers"}`, "without upper limits that no sample reached: " + layers.filter((l) => known(l.limit)).map((l) => `${place(l)} (${short(l.limit)})`).join(", "), "fair") : "",
  );
}

function findings() {
  const worst = measured.filter((l) => known(l.snr) && own(l)).sort(by((l) => l.snr)).slice(0, 5);
  if (!worst.length) {
    at("findings-list").replaceWith(make("p", { class: "empty" }, report.measured ? "No layer loses anything by itself." : "Losses were not measured: give calibration samples."));
    return;
  }
  for (const l of worst) {
    const cause = own(l);
    at("findings-list").append(make("li", {},
      make("div", { class: "ratio " + grade(l.snr) }, decibels(l.snr) + " dB", make("small", {}, "own loss")),
      make("div", {}, make("strong", {}, op(l)), " ", make("span", { class: "name" }, place(l)),
        make("div", {}, cause.text[0].toUpperCase() + cause.text.slice(1), "."), help(cause))));
  }
}

const W = 1190, H = 300, LEFT = 54, RIGHT = 12, TOP = 12, BOTTOM = 30;
function plot(box, title, shown, ticks, y, label) {
  const svg = draw("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": title });
  const step = (W - LEFT - RIGHT) / Math.max(shown.length, 1);
  const x = (i) => LEFT + step * (i + 0.5);
  for (const t of ticks) {
    svg.append(draw("line", { x1: LEFT, x2: W - RIGHT, y1: y(t), y2: y(t), class: t === 0 ? "zero" : "grid" }));
    svg.append(draw("text", { x: LEFT - 8, y: y(t) + 4, "text-anchor": "end" }, label(t)));
  }
  const every = Math.max(1, Math.ceil(shown.length / 24));
  shown.forEach((l, i) => {
    if (i % every === 0) svg.append(draw("text", { x: x(i), y: H - 10, "text-anchor": "middle" }, String(l.number)));
  });
  box.append(svg);
  return { svg, x, step };
}
function hits(svg, shown, x, step, lines) {
  shown.forEach((l, i) => {
    const area = draw("rect", { x: x(i) - step / 2, y: TOP, width: step, height: H - TOP - BOTTOM, class: "hit", "data-index": l.index });
    area.addEventListener("mousemove", (event) => show(event, lines(l)));
    area.addEventListener("mouseleave", hide);
    area.addEventListener("click", () => choose(l.index));
    svg.append(area);
  });
}

function ratios() {
  const box = at("ratio-plot");
  if (!measured.length) { box.append(make("p", { class: "empty" }, "Losses were not measured.")); return; }
  const values = measured.flatMap((l) => [l.snr, l.network_snr]).filter((v) => known(v) && v < EXACT);
  const low = Math.min(0, ...values.map((v) => Math.floor(v / 10) * 10)), high = Math.max(10, ...values.map((v) => Math.ceil(v / 10) * 10));
  const y = (v) => TOP + (H - TOP - BOTTOM) * (1 - (Math.min(v, high) - low) / (high - low));
  const ticks = [];
  const unit = high - low > 80 ? 20 : 10;
  for (let t = low; t <= high; t += unit) ticks.push(t);
  const worst = measured.filter((l) => known(l.snr)).sort(by((l) => l.snr))[0];
  const said = `Signal to noise of ${measured.length} layers, ${decibels(Math.min(...values))} to ${decibels(Math.max(...values))} dB` + (worst ? `; the largest own loss is in ${op(worst)} ${place(worst)}` : "") + ". The table below has all numbers.";
  const { svg, x, step } = plot(box, said, measured, ticks, y, (t) => t + " dB");
  const size = Math.max(1.6, Math.min(5, step / 3));
  const points = measured.map((l, i) => (known(l.network_snr) ? [x(i), y(l.network_snr)] : null)).filter(Boolean);
  svg.append(draw("polyline", { points: points.map((p) => p.map((v) => v.toFixed(1)).join(",")).join(" "), class: "network" }));
  measured.forEach((l, i) => { if (known(l.snr)) svg.append(draw("circle", { cx: x(i).toFixed(1), cy: y(l.snr).toFixed(1), r: size, class: "own" })); });
  hits(svg, measured, x, step, (l) => [`${op(l)} ${place(l)}`, `own ${decibels(l.snr)} dB, network ${decibels(l.network_snr)} dB`, ...l.causes.slice(0, 1).map((c) => `${Math.round(100 * c.share)} % ${c.text}`)]);
}

function ranges() {
  const box = at("range-plot"), shown = stored.filter((l) => known(l.low) && known(l.high));
  if (!shown.length) { box.append(make("p", { class: "empty" }, "No ranges were taken: this scheme rounds weights alone.")); return; }
  const sizes = shown.flatMap((l) => [Math.abs(l.low), Math.abs(l.high)]).filter((v) => v > 0).sort((a, b) => a - b);
  const unit = (sizes.length ? sizes[Math.floor(sizes.length / 4)] : 1) / 4 || 1;  // around it the scale goes from linear to logarithmic
  const bent = (v) => Math.asinh(v / unit);
  const low = Math.min(0, ...shown.map((l) => bent(l.low))), high = Math.max(0, ...shown.map((l) => bent(l.high)));
  const y = (v) => TOP + (H - TOP - BOTTOM) * (1 - (bent(v) - low) / (high - low || 1));
  const ticks = [0];
  for (const digit of [1, 5, 2]) {
    for (let power = Math.floor(Math.log10(unit)); power < 38; power += 1) {
      for (const t of [digit * 10 ** power, -digit * 10 ** power]) {
        const far = ticks.every((other) => Math.abs(y(other) - y(t)) > 22);
        if (bent(t) <= high && bent(t) >= low && far) ticks.push(t);
      }
    }
  }
  const { svg, x, step } = plot(box, `Ranges of the results of ${shown.length} layers; the table below has all numbers.`, shown, ticks, y, (t) => short(t));
  shown.forEach((l, i) => svg.append(draw("line", { x1: x(i), x2: x(i), y1: y(l.high).toFixed(1), y2: y(l.low).toFixed(1), class: "span", "stroke-width": Math.max(1, Math.min(12, step * 0.6)) })));
  hits(svg, shown, x, step, (l) => [`${op(l)} ${place(l)}`, `${range(l)}, scale ${known(l.scale) ? short(l.scale) : "–"}`, `saturated ${percent(l.saturation)}`]);
}

const COLUMNS = [
  { key: "index", name: "#", number: true, of: (l) => l.number, cell: (l) => String(l.number) },
  { key: "op", name: "layer", of: (l) => op(l) + place(l), cell: null },
  { key: "scheme", name: "scheme", of: (l) => l.scheme, cell: (l) => make("span", { class: "chip" }, l.scheme) },
  { key: "snr", name: "own dB", number: true, of: (l) => l.snr, cell: (l) => make("span", { class: grade(l.snr) }, decibels(l.snr)) },
  { key: "network_snr", name: "network dB", number: true, of: (l) => l.network_snr, cell: (l) => make("span", { class: grade(l.network_snr) }, decibels(l.network_snr)) },
  ...(report.speed ? [{ key: "milliseconds", name: "ms", number: true, of: (l) => l.milliseconds, cell: (l) => millis(l.milliseconds) }] : []),
  { key: "saturation", name: "saturated", number: true, of: (l) => l.saturation, cell: (l) => percent(l.saturation) },
  { key: "range", name: "range", number: true, of: (l) => (known(l.low) ? l.high - l.low : null), cell: range },
  { key: "channel_ratio", name: "channels", number: true, of: (l) => l.channel_ratio, cell: (l) => times(l.channel_ratio) },
  { key: "peak_ratio", name: "peak", number: true, of: (l) => l.peak_ratio, cell: (l) => times(l.peak_ratio) },
  { key: "cause", name: "largest cause", of: (l) => (l.causes.length ? l.causes[0].cause : ""), cell: (l) => (l.causes.length ? `${Math.round(100 * l.causes[0].share)} % ${brief(l.causes[0])}` : "–") },
];
const MOST = 200;  // rows of the table, until more are asked for
const asked = () => new URLSearchParams(location.hash.slice(1));
const state = { sort: "snr", down: false, filter: "", scheme: "", cause: "", most: MOST };
const rows = new Map();

function read() {
  const said = asked();
  if (COLUMNS.some((c) => c.key === said.get("sort"))) state.sort = said.get("sort");
  if (said.has("order")) state.down = said.get("order") === "descending";
  for (const key of ["filter", "scheme", "cause"]) {
    if (said.has(key)) { state[key] = said.get(key); at(key).value = state[key]; }
  }
}
function compared(a, b) {
  const column = COLUMNS.find((c) => c.key === state.sort), x = column.of(a), y = column.of(b);
  const empty = (v) => v === null || v === undefined || v === "";
  if (empty(x) || empty(y)) return empty(x) - empty(y) || a.index - b.index;  // what was not measured stands last
  const order = typeof x === "string" ? x.localeCompare(y) : x - y;
  return (state.down ? -order : order) || a.index - b.index;
}
function fits(l) {
  const text = `${op(l)} ${l.node} ${l.line} ${l.fused.join(" ")}`.toLowerCase();
  return text.includes(state.filter.toLowerCase()) && (!state.scheme || l.scheme === state.scheme) && (!state.cause || l.causes.some((c) => c.cause === state.cause));
}
function details(l) {
  const parts = make("div", { class: "parts" }), told = new Set();
  for (const c of l.causes) {
    const again = told.has(c.help);
    told.add(c.help);
    const fill = make("i");
    fill.style.width = Math.min(100, 100 * c.share) + "%";
    parts.append(make("div", { class: "number" }, Math.round(100 * c.share) + " %"), make("div", { class: "bar" }, fill), make("div", {}, c.text, again ? null : help(c)));
  }
  const facts = [`node ${l.node || "–"}`, l.fused.length ? `with ${l.fused.map((f) => f.replace(/^core\./, "")).join(", ")}` : null,
    known(l.scale) ? `scale ${short(l.scale)}, zero point ${l.zero_point}` : null, `${count(l.macs)} multiply-adds`];
  return make("td", { colspan: COLUMNS.length }, l.causes.length ? parts : make("p", { class: "empty" }, "Nothing was measured here."),
    make("div", { class: "facts" }, ...facts.filter(Boolean).map((f) => make("span", {}, f))));
}
function row(l) {
  if (rows.has(l.index)) return rows.get(l.index);
  const more = make("tr", { class: "more", id: "more-" + l.index });
  more.hidden = true;
  const open = make("button", { class: "open", type: "button", "aria-expanded": "false", "aria-controls": "more-" + l.index }, op(l));
  open.addEventListener("click", () => {
    if (!more.firstChild) more.append(details(l));
    more.hidden = !more.hidden;
    open.setAttribute("aria-expanded", String(!more.hidden));
  });
  const head = make("tr", { class: "row", "data-index": l.index }, ...COLUMNS.map((c) => make("td", { class: c.number ? "number" : c.key === "op" ? "layer" : c.key === "cause" ? "why" : "" },
    ...(c.cell ? [c.cell(l)] : [open, make("div", { class: "name where" }, place(l))]))));
  rows.set(l.index, [head, more]);
  return rows.get(l.index);
}
function fill() {
  const shown = stored.filter(fits).sort(compared), rest = shown.length - state.most;
  at("table").tBodies[0].replaceChildren(...shown.slice(0, state.most).flatMap(row));
  at("more-rows").hidden = rest <= 0;
  at("more-rows").textContent = `Show the other ${plural(rest, "layer")}`;
  at("count").textContent = shown.length === stored.length ? `${stored.length} layers` : `${shown.length} of ${stored.length} layers`;
  for (const th of at("table").tHead.querySelectorAll("th")) {
    th.setAttribute("aria-sort", th.dataset.key !== state.sort ? "none" : state.down ? "descending" : "ascending");
  }
}
function say() {
  const said = new URLSearchParams({ sort: state.sort, order: state.down ? "descending" : "ascending" });
  for (const key of ["filter", "scheme", "cause"]) if (state[key]) said.set(key, state[key]);
  try { history.replaceState(null, "", "#" + said); } catch { /* a page without an address */ }
  fill();
}
function choose(index) {
  Object.assign(state, { filter: "", scheme: "", cause: "" });
  for (const key of ["filter", "scheme", "cause"]) at(key).value = "";
  if ([...stored].sort(compared).findIndex((l) => l.index === index) >= state.most) state.most = Infinity;
  say();
  for (const marked of document.querySelectorAll(".chosen")) marked.classList.remove("chosen");
  const [head, more] = rows.get(index);
  head.classList.add("chosen");
  for (const area of document.querySelectorAll(`.hit[data-index="${index}"]`)) area.classList.add("chosen");
  if (more.hidden) head.querySelector("button.open").click();
  head.scrollIntoView({ block: "center" });
  head.querySelector("button.open").focus({ preventScroll: true });
}
function table() {
  const head = make("tr", {}, ...COLUMNS.map((c) => make("th", { scope: "col", "data-key": c.key, class: c.number ? "number" : "" },
    make("button", { type: "button", onclick: () => {
      state.down = state.sort === c.key ? !state.down : false;
      state.sort = c.key;
      say();
    } }, c.name))));
  at("table").tHead.append(head);
  const options = (id, all, values) => at(id).append(make("option", { value: "" }, all), ...[...new Set(values)].sort().map((v) => make("option", { value: v }, v)));
  options("scheme", "all", stored.map((l) => l.scheme));
  options("cause", "all", stored.flatMap((l) => l.causes.map((c) => c.cause)));
  for (const key of ["filter", "scheme", "cause"]) at(key).addEventListener("input", () => { state[key] = at(key).value; say(); });
  at("more-rows").addEventListener("click", () => { state.most = Infinity; fill(); });
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  read();
  fill();
}

function floating() {
  const box = at("floats-body");
  if (!floats.length) { box.append(make("p", { class: "empty" }, "Nothing: every op computes with fewer bits.")); return; }
  const groups = new Map();
  for (const l of floats) {
    const key = l.op + "\n" + l.reason;
    groups.set(key, [...(groups.get(key) || []), l]);
  }
  const sum = (of, key) => (of.every((l) => known(l[key])) ? of.reduce((total, l) => total + l[key], 0) : null);
  const sorted = [...groups.values()].sort((a, b) => (sum(b, "macs") || 0) - (sum(a, "macs") || 0) || (sum(b, "bytes") || 0) - (sum(a, "bytes") || 0));
  const body = sorted.map((of) => make("tr", {}, make("td", { class: "number" }, of.length), make("td", {}, op(of[0])), make("td", {}, of[0].reason),
    make("td", { class: "number" }, count(sum(of, "macs"))), make("td", { class: "number" }, bytes(sum(of, "bytes"))),
    make("td", { class: "layer" }, of.length === 1 ? make("span", { class: "name where" }, place(of[0]))
      : make("details", {}, make("summary", { class: "name where" }, place(of[0]) + " …"), make("ul", {}, ...of.slice(0, 200).map((l) => make("li", { class: "name" }, place(l))))))));
  const names = [["ops", 1], ["op", 0], ["why it stays float", 0], ["multiply-adds", 1], ["bytes of floats", 1], ["where", 0]];
  box.append(make("p", { class: "muted" }, `${floats.length} ops, ${count(sum(floats, "macs"))} multiply-adds a run.`),
    make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...names.map(([name, number]) => make("th", { scope: "col", class: number ? "number" : "" }, name)))), make("tbody", {}, ...body))));
}
function ruled() {
  const box = at("rules-body");
  if (!report.rules.length) { at("rules").hidden = true; return; }
  box.append(make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "rule"), make("th", { scope: "col", class: "number" }, "ops that it matched"))),
    make("tbody", {}, ...report.rules.map((r) => make("tr", {}, make("td", { class: "name" }, r.rule), make("td", { class: "number" }, r.ops))))));
}

function timed() {
  const speed = report.speed;
  if (!speed) { at("speed").hidden = true; return; }
  const named = (columns, first) => columns.map((name, i) => [name, i >= first]);
  const rows = (body, first) => body.map((row) => row.map((cell, i) => (i < first ? make("span", { class: "name" }, cell) : cell)));
  const said = (s) => (s.met === null ? "not scored: a faster one was good enough" : s.met ? "within the limit" : "loses too much");
  const names = speed.schemes.map((s) => s.scheme);
  const both = (l, name) => millis(l.milliseconds[name]) + (known(l.snr[name]) ? ` / ${decibels(l.snr[name])} dB` : "");
  const slowest = [...speed.layers].sort(by((l) => -l.milliseconds[speed.chosen]));
  const raced = Object.entries(speed.raced).map(([name, ms]) => `${name} ${millis(ms)} ms`).join(", ");
  at("speed-body").append(
    make("p", {}, `${speed.chosen}: ${speed.why}.`),
    make("p", { class: "muted" }, `Milliseconds of processor time of one thread, measured on ${speed.machine}.` + (raced ? ` As they are written, in turn: ${raced}.` : "")),
    grid(named(["scheme", "", "ms", "score", "worse by"], 2), rows(speed.schemes.map((s) => [s.scheme, said(s), millis(s.milliseconds), known(s.score) ? short(s.score) : "–", known(s.worse) ? short(s.worse) : "–"]), 2)),
    make("p", { class: "muted" }, "Layers, those that take longest first: milliseconds, and own dB where it was measured."),
    grid(named(["layer", "scheme", ...names], 2), rows(slowest.map((l) => [l.select, l.scheme, ...names.map((name) => both(l, name))]), 2)));
}

summary();
findings();
timed();
ratios();
ranges();
table();
floating();
ruled();
window.addEventListener("hashchange", () => { read(); fill(); });

// What is known of one node or value: where it comes from, what became of it, what it reads and makes.
const section = (name, ...parts) => make("section", { class: "fact" }, make("h4", {}, name), ...parts);
const MOST_SHOWN = 40;

function source(f) {
  const lines = Object.keys(f.lines).map(Number).filter((n) => Math.abs(n - f.line) <= 3).sort((a, b) => a - b);
  const rows = lines.includes(f.line) ? lines.map((n) => [n, f.lines[n]]) : f.text ? [[f.line, f.text]] : [];
  if (!rows.length) return make("p", { class: "muted" }, "The text of this line is not in the model, and the file is not in a folder that may be read: --source-root DIR adds one.");
  const indent = Math.min(...rows.filter(([, text]) => text.trim()).map(([, text]) => text.length - text.trimStart().length));
  return make("pre", { class: "source" }, ...rows.map(([n, text]) => make("span", { class: n === f.line ? "at" : "" }, make("i", {}, String(n)), text.slice(indent) + "\n")));
}
function traced(stack, name) {
  if (!stack.length) return section("Line", make("p", { class: "muted" }, "No line of source was recorded" + (name ? ` for ${name}.` : ".")));
  const [first, ...outer] = stack;
  return section("Line", make("p", { class: "spot" }, page.spot(first), first.name ? make("span", { class: "muted" }, ` in ${first.name}`) : null), source(first),
    outer.length ? make("details", {}, make("summary", {}, plural(outer.length, "caller")), ...outer.flatMap((f) => [make("p", { class: "spot" }, page.spot(f), f.name ? make("span", { class: "muted" }, ` in ${f.name}`) : null), source(f)])) : null);
}
function listed(parts, what) {
  return make("ul", { class: "links" }, ...parts.slice(0, MOST_SHOWN), parts.length > MOST_SHOWN ? make("li", { class: "muted" }, `and ${plural(parts.length - MOST_SHOWN, what)} more`) : null);
}

// go: shows a node of one of the graphs.
page.details = (panel, number, key, go) => {
  const graph = page.graphs[number];
  const to = (g, i, text) => make("button", { type: "button", class: "go", onclick: () => go(g, i) }, text);
  const node = (g, i) => to(g, i, [page.graphs[g].title(i), page.graphs[g].name(i)].filter(Boolean).join(" "));
  const typed = (v) => (graph.knownType(v) ? make("code", {}, graph.type(v)) : make("span", { class: "muted" }, "of a type that is not known"));
  const origin = (v) => {
    const from = graph.producer(v), held = graph.constant(v);
    if (from >= 0) return node(number, from);
    if (held) return make("span", {}, `constant ${graph.called(v)} `, make("span", { class: "muted" }, bytes(held.bytes)), held.text ? make("code", {}, held.text) : null);
    return make("span", {}, graph.argument(v) ? `input ${graph.called(v)}` : `${graph.called(v) || "a value"} of what is left out`);
  };
  const reads = (v) => {
    const parts = [...graph.outputs(v).map((name) => make("li", {}, `output ${name}`)), ...graph.readers(v).map((i) => make("li", {}, node(number, i)))];
    return parts.length ? listed(parts, "reader") : make("p", { class: "muted" }, "Nothing reads it.");
  };
  const head = (title, name) => make("div", { class: "head" }, make("h3", { tabindex: "-1" }, title), name ? make("p", { class: "name" }, name) : null,
    make("button", { type: "button", class: "close", "aria-label": "Close details", onclick: () => go(number, null) }, "×"));
  if (typeof key === "string") {
    const v = Number(key.slice(1));
    panel.replaceChildren(...[head(graph.argument(v) ? "Input" : graph.outputs(v).length ? "Output" : "Value from outside", graph.called(v)), section("Type", typed(v)),
      graph.argument(v) ? null : section("Made by", make("p", {}, origin(v))), section("Read by", reads(v))].filter(Boolean));
    return;
  }
  const i = key, parts = [head(graph.kind(i), graph.name(i))];
  if (number === 0 && page.fate(i)) {
    const { status, by, ops } = page.fate(i), [word, meaning] = page.words[status];
    const sharing = [...new Set(ops.flatMap(page.madeOf))].filter((s) => s !== i);
    parts.push(section("Fate", make("p", { class: "fate " + status }, make("b", {}, word), by ? ` by the pass ${by}` : "", `: ${meaning}.`),
      ops.length ? listed(ops.map((op) => make("li", {}, "→ ", node(1, op))), "op") : null,
      ops.length && sharing.length && status !== "kept" ? make("details", {}, make("summary", {}, `together with ${plural(sharing.length, "other op")} of the source`), listed(sharing.map((s) => make("li", {}, node(0, s))), "op")) : null));
  }
  const said = number === 0 && graph.name(i) ? page.saidOf(graph.name(i)) : [];
  if (said.length) parts.push(section("Diagnostics", ...said.slice(0, MOST_SHOWN).map((d) => make("p", {}, make("b", {}, `${d.severity} ${d.code}`), `: ${d.message}`, d.help ? make("span", { class: "muted" }, ` Help: ${d.help}`) : null))));
  if (number === 1) {
    const from = page.madeOf(i);
    parts.push(section("Made of", from.length ? listed(from.map((s) => make("li", {}, "← ", node(0, s))), "op") : make("p", { class: "muted" }, "No op of the source: the conversion needed it.")));
  }
  parts.push(traced(graph.stack(i), graph.name(i)));
  const operands = graph.operands(i).map((v) => (v < 0 ? make("li", { class: "muted" }, "absent") : make("li", {}, origin(v), " ", typed(v))));
  if (operands.length) parts.push(section("Reads", listed(operands, "operand"), graph.more(i) ? make("p", { class: "muted" }, `${plural(graph.more(i), "operand")} more are not listed.`) : null));
  const captured = graph.captured(i).map((v) => make("li", {}, origin(v), " ", typed(v)));
  if (captured.length) parts.push(section("Its bodies read", listed(captured, "value")));
  for (const v of graph.results(i).slice(0, MOST_SHOWN)) parts.push(section("Makes", make("p", {}, graph.called(v), " ", typed(v)), reads(v)));
  for (const b of graph.bodies(i)) parts.push(section("Body", make("button", { type: "button", class: "go", onclick: () => go(number, null, b) }, graph.blocks[b].title)));
  const attributes = graph.attributes(i);
  if (attributes.length) parts.push(section("Attributes", make("dl", { class: "pairs" }, ...attributes.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]))));
  panel.replaceChildren(...parts);
};

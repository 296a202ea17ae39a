// What fusion saves: buffers, bytes moved and peaks, before and after.
const { before, after, plan } = data.memory;
const size = (n) => (known(n) ? bytes(n) : "at run time");
const change = (a, b) => (known(a) && known(b) && a ? `${b <= a ? "−" : "+"}${Math.abs(Math.round((100 * (b - a)) / a))} %` : "–");
const rows = [
  ["ops", count(before.ops), count(after.ops), change(before.ops, after.ops)],
  ["buffers between ops", count(before.buffers), count(plan ? plan.buffers : after.buffers), change(before.buffers, plan ? plan.buffers : after.buffers)],
  ["bytes read", size(before.read), size(after.read), change(before.read, after.read)],
  ["bytes written", size(before.written), size(after.written), change(before.written, after.written)],
  ["peak of live values", size(before.peak), size(plan && plan.peak ? plan.peak.bytes : after.peak), change(before.peak, plan && plan.peak ? plan.peak.bytes : after.peak)],
];
if (plan) rows.push(["arena", "–", size(plan.arena), "–"], ["weights", "–", size(plan.weights), "–"]);
at("memory-body").append(grid([["a run"], ["before", 1], ["after", 1], ["change", 1]], rows));
if (!known(before.read)) at("memory-body").append(make("p", { class: "muted" }, "Some sizes are known at run time alone: pin them with --shape NAME=D,D,... to see bytes."));
if (plan && !known(plan.arena)) at("memory-body").append(make("p", { class: "muted" }, "Bytes of the arena: ", make("code", {}, String(plan.arena))));

function curves() {
  const shown = [["before", before.curve, "live bytes along the source's ops"], ["after", plan && plan.curve.length ? plan.curve : after.curve, "bytes in use along the target's ops"]].filter(([, curve]) => curve.length > 1);
  if (!shown.length) return;
  const W = 1190, H = 220, LEFT = 70, TOP = 10, BOTTOM = 22, box = at("memory-chart");
  const most = Math.max(1, ...shown.flatMap(([, curve]) => curve));
  const y = (v) => TOP + (H - TOP - BOTTOM) * (1 - v / most);
  const svg = draw("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": shown.map(([name, curve]) => `${name}: at most ${bytes(Math.max(...curve))}`).join("; ") });
  for (const part of [0, 0.5, 1]) svg.append(draw("line", { class: "grid", x1: LEFT, x2: W - 8, y1: y(part * most), y2: y(part * most) }), draw("text", { x: LEFT - 8, y: y(part * most) + 4, "text-anchor": "end" }, bytes(Math.round(part * most))));
  for (const [name, curve] of shown) {
    const step = (W - LEFT - 8) / curve.length;
    const points = curve.map((v, i) => `H${(LEFT + i * step).toFixed(1)}V${y(v).toFixed(1)}`).join("");
    svg.append(draw("path", { class: name, d: `M${LEFT} ${y(0)}${points}H${W - 8}V${y(0)}z` }));
  }
  svg.append(draw("text", { x: LEFT, y: H - 4 }, "first op"), draw("text", { x: W - 8, y: H - 4, "text-anchor": "end" }, "last op"));
  box.querySelector("figcaption").append(...shown.map(([name, , meaning]) => make("span", { class: name }, `${name}: ${meaning}`)));
  box.append(svg);
  box.hidden = false;
}
curves();

// Ops of the target that do the most ops of the source.
function fusions() {
  const [source, target] = page.graphs, found = [];
  for (let op = 0; op < target.size; op += 1) if (page.madeOf(op).length > 1) found.push(op);
  if (!found.length) return;
  found.sort((a, b) => page.madeOf(b).length - page.madeOf(a).length || a - b);
  const kinds = (op) => { const names = page.madeOf(op).map(source.title); return names.slice(0, 8).join(", ") + (names.length > 8 ? ", …" : ""); };
  const lines = (op) => { const spots = [...new Set(page.madeOf(op).map((i) => page.place(source, i)).filter(Boolean))]; return spots.length > 1 ? `${spots[0]} and ${spots.length - 1} more` : spots[0] || "–"; };
  const link = (op) => make("button", { type: "button", class: "go", onclick: () => page.go(1, op) }, target.title(op));
  at("memory-fused").append(make("h3", {}, `${plural(found.length, "op")} of the target ${found.length === 1 ? "does" : "do"} several of the source, those that do most first`),
    grid([["op"], ["does", 1], ["which are"], ["lines"]], found.slice(0, 12).map((op) => [link(op), count(page.madeOf(op).length), kinds(op), make("span", { class: "name" }, lines(op))])));
}
fusions();

if (plan && plan.peak) {
  const { call, buffers, bytes: most } = plan.peak;
  at("memory-peak").append(make("h3", {}, `In use at the peak, ${bytes(most)} while op ${call} runs`),
    grid([["size", 1], ["written by"], ["from"]], buffers.slice(0, 20).map((b) => [size(b.size), make("span", { class: "name" }, page.bare(b.op) || "an input"), make("span", { class: "name" }, b.line || b.node || "–")])));
}

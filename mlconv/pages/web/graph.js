// The graphs: which one is shown, what is chosen, keys and buttons.
const canvas = at("graph-canvas"), panel = at("graph-details"), blocks = at("graph-block");
const state = { graph: 0, block: 0, chosen: null };
const scene = new page.Scene(canvas, (box) => go(state.graph, box.kind === "op" ? box.node : "v" + box.value, undefined, false));
const statusOf = (i) => (state.graph === 0 && page.fate(i) ? page.fate(i).status : "plain");

function show(graph, block) {
  state.graph = graph;
  state.block = block;
  const shown = page.graphs[graph];
  for (const [i, tab] of [...at("graph-tabs").children].entries()) tab.setAttribute("aria-pressed", String(i === graph));
  blocks.replaceChildren(...shown.blocks.slice(0, 2000).map((b, i) => make("option", { value: i }, `${b.title} (${count(shown.inBlock(i).length)})`)));
  blocks.value = String(block);
  at("graph-block-label").hidden = shown.blocks.length < 2;
  at("graph-legend").hidden = graph !== 0 || !page.statuses.length;
  scene.show(shown, block, statusOf);
  canvas.setAttribute("aria-label", `Graph of ${plural(shown.inBlock(block).length, "op")}, ${shown.label}`);
  const { notes } = scene.layout;
  at("graph-notes").textContent = [
    notes ? `${plural(notes, "line")} to far rows ${notes === 1 ? "is" : "are"} not drawn; details list all that an op reads, and what reads it.` : "",
    shown.omitted ? `${plural(shown.omitted, "op")} behind the first ${count(shown.size)} ${shown.omitted === 1 ? "is" : "are"} left out.` : "",
  ].filter(Boolean).join(" ");
}
// key: a node, "v" and a value, or null for nothing.  block: another one to be shown.
function go(graph, key, block, follow = true) {
  const wanted = block !== undefined ? block : typeof key === "number" ? page.graphs[graph].block(key) : graph === state.graph ? state.block : 0;
  if (graph !== state.graph || wanted !== state.block) show(graph, Math.max(0, wanted));
  state.chosen = key;
  panel.hidden = key === null;
  if (key !== null) page.details(panel, graph, key, go);
  panel.scrollTop = 0;
  scene.choose(key, follow);
  const address = typeof key === "number" ? `#node=${graph}.${key}` : location.pathname + location.search;
  if (location.protocol !== "about:") history.replaceState(null, "", address);
}
page.go = (graph, key) => { at("graph").scrollIntoView({ block: "start" }); go(graph, key); canvas.focus({ preventScroll: true }); };

function key(event) {
  const steps = { ArrowDown: () => scene.along(1), ArrowUp: () => scene.along(-1), ArrowLeft: () => scene.beside(-1), ArrowRight: () => scene.beside(1) };
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (steps[event.key]) {
    const b = steps[event.key]();
    if (b >= 0) go(state.graph, scene.boxes[b].kind === "op" ? scene.boxes[b].node : "v" + scene.boxes[b].value);
  } else if (event.key === "+" || event.key === "=") scene.zoom(1.3);
  else if (event.key === "-") scene.zoom(1 / 1.3);
  else if (event.key === "0") scene.whole();
  else if (event.key === "Enter" && !panel.hidden) panel.querySelector("h3").focus();
  else if (event.key === "Escape" && state.chosen !== null) go(state.graph, null);
  else return;
  event.preventDefault();
}
canvas.addEventListener("keydown", key);
panel.addEventListener("keydown", (event) => { if (event.key === "Escape") { go(state.graph, null); canvas.focus(); } });
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  event.preventDefault();
  at("graph-search").focus();
  at("graph-search").select();
});
blocks.addEventListener("change", () => { const b = Number(blocks.value); go(state.graph, null, b); });
at("graph-in").addEventListener("click", () => scene.zoom(1.4));
at("graph-out").addEventListener("click", () => scene.zoom(1 / 1.4));
at("graph-whole").addEventListener("click", () => scene.whole());

at("graph-tabs").append(...page.graphs.map((graph, i) => make("button", { type: "button", "aria-pressed": "false", onclick: () => { go(i, null, 0); look(); } }, `${graph.label} `, make("small", {}, count(graph.size + graph.omitted)))));
at("graph-legend").append(...page.statuses.map((status) => make("span", { class: "status " + status, title: page.words[status][1] }, page.words[status][0])));
const look = page.searchBox(at("graph-search"), at("graph-found"), at("graph-said"), () => state.graph, (graph, node) => { go(graph, node); canvas.focus({ preventScroll: true }); });
show(0, 0);
function asked() {
  const [graph, node] = (new URLSearchParams(location.hash.slice(1)).get("node") || "").split(".").map(Number);
  if (page.graphs[graph] && node >= 0 && node < page.graphs[graph].size) go(graph, node);
}
asked();
window.addEventListener("hashchange", asked);
// On paper stands all of a graph, or what is in sight where that would be too small to be read.
window.addEventListener("beforeprint", () => {
  scene.before = scene.view;
  scene.whole();
  if (scene.view.k < 0.3) scene.set(scene.before);
  scene.draw(true);
});
window.addEventListener("afterprint", () => { if (scene.before) scene.set(scene.before); });
page.scene = scene;

// A drawing of one block that can be moved: what is in sight, and some around it, is in the document.  From afar boxes
// have no text and are one path for each status.
const FONT = 7.25, MOST = 30, NEAR = 0.4, LEAST = 0.001, LARGEST = 3;
const cut = (text, most = MOST) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

// The boxes of a block: its inputs, its nodes, its outputs.
function boxesOf(graph, block) {
  const { inputs, outputs } = graph.blocks[block];
  const boxes = [], from = new Map();
  const add = (box) => { boxes.push(box); return boxes.length - 1; };
  for (const v of inputs) if (graph.readers(v).length || graph.outputs(v).length) from.set(v, add({ kind: "input", head: graph.called(v) || "input", note: graph.knownType(v), value: v, reads: [] }));
  for (const i of graph.inBlock(block)) {
    for (const v of graph.operands(i)) {
      if (v >= 0 && !from.has(v) && !graph.constant(v) && graph.home(v) >= 0 && graph.home(v) !== block) from.set(v, add({ kind: "input", head: graph.called(v) || "from outside", note: graph.knownType(v), value: v, reads: [] }));
    }
  }
  for (const i of graph.inBlock(block)) {
    const made = graph.results(i);
    const box = add({ kind: "op", head: graph.title(i), note: made.length ? graph.knownType(made[0]) : "", node: i, reads: [...graph.operands(i), ...graph.captured(i)] });
    for (const v of made) from.set(v, box);
  }
  for (const [name, v] of outputs) add({ kind: "output", head: name || "result", note: graph.knownType(v), value: v, reads: [v] });
  const edges = [], seen = new Set();
  boxes.forEach((box, b) => {
    for (const v of box.reads) {
      const a = from.get(v);
      if (a === undefined || a === b || seen.has(a * 1e6 + b)) continue;
      seen.add(a * 1e6 + b);
      edges.push([a, b]);
    }
  });
  return { boxes, edges };
}

class Scene {
  // tell: what is chosen with the mouse.
  constructor(holder, tell) {
    this.holder = holder;
    this.svg = draw("svg", { role: "presentation" });
    this.group = draw("g");
    this.lines = draw("path", { class: "line" });
    this.marked = draw("path", { class: "line marked" });
    this.far = draw("g");
    this.near = draw("g");
    this.group.append(this.lines, this.far, this.marked, this.near);
    this.svg.append(this.group);
    holder.append(this.svg);
    this.view = { x: 0, y: 0, k: 1 };
    this.tell = tell;
    this.listen();
  }

  show(graph, block, statusOf) {
    const { boxes, edges } = boxesOf(graph, block);
    for (const box of boxes) {
      box.status = box.kind === "op" ? statusOf(box.node) : box.kind;
      box.width = Math.max(84, 26 + FONT * Math.max(cut(box.head).length, cut(box.note).length));
    }
    Object.assign(this, { boxes, layout: page.layered(boxes.map((box) => box.width), edges), edges });
    this.of = new Map(boxes.map((box, b) => [box.kind === "op" ? box.node : "v" + box.value, b]));
    this.chosen = -1;
    this.drawn = null;
    this.fit();
  }

  fit() {
    const { width, height } = this.room(), [w, h] = this.layout.size;
    const all = Math.min((width - 40) / w, (height - 40) / h, 1);
    const k = all >= 0.42 ? all : Math.min(1, Math.max(0.6, (width - 40) / w));
    const first = this.layout.rows[0] || [];
    const middle = all >= 0.42 || !first.length ? w / 2 : this.layout.x[first[0]] + this.boxes[first[0]].width / 2;
    this.set({ k, x: width / 2 - middle * k, y: all >= 0.42 ? Math.max(20, (height - h * k) / 2) : 20 });
  }
  whole() {
    const { width, height } = this.room(), [w, h] = this.layout.size;
    const k = Math.max(LEAST, Math.min((width - 40) / w, (height - 40) / h, 1));
    this.set({ k, x: (width - w * k) / 2, y: (height - h * k) / 2 });
  }
  room() { return { width: this.holder.clientWidth || 900, height: this.holder.clientHeight || 600 }; }

  set(view) {
    this.view = view;
    const { x, y, k } = view;
    this.group.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${k.toFixed(4)})`);
    if (!this.asked) this.asked = requestAnimationFrame(() => { this.asked = 0; this.draw(); });
  }
  zoom(factor, x = this.room().width / 2, y = this.room().height / 2) {
    const k = Math.min(LARGEST, Math.max(LEAST, this.view.k * factor)), by = k / this.view.k;
    this.set({ k, x: x - (x - this.view.x) * by, y: y - (y - this.view.y) * by });
  }
  move(x, y) { this.set({ ...this.view, x: this.view.x + x, y: this.view.y + y }); }

  // Draws what is in sight, unless it is there already.
  draw(force = false) {
    const { width, height } = this.room(), { x, y, k } = this.view, far = k < NEAR;
    const sight = { left: -x / k, right: (width - x) / k, top: -y / k, bottom: (height - y) / k };
    const drawn = this.drawn;
    if (!force && drawn && drawn.far === far && drawn.left <= sight.left && drawn.right >= sight.right && drawn.top <= sight.top && drawn.bottom >= sight.bottom) return;
    const wide = (sight.right - sight.left) * 0.5, high = (sight.bottom - sight.top) * 0.5;
    this.drawn = { far, left: sight.left - wide, right: sight.right + wide, top: sight.top - high, bottom: sight.bottom + high };
    this.fill(far);
  }
  fill(far) {
    const { layout, drawn } = this, lines = [], shown = [];
    const inSight = (b) => layout.x[b] < drawn.right && layout.x[b] + this.boxes[b].width > drawn.left;
    const lowest = Math.floor(drawn.bottom / layout.pitch), highest = Math.floor(drawn.top / layout.pitch);
    layout.lines.forEach((line, b) => { if (line && layout.rowOf[b] <= lowest && layout.last[b] >= highest) lines.push(line); });
    for (let r = Math.max(0, highest); r <= Math.min(layout.rows.length - 1, lowest); r += 1) shown.push(...layout.rows[r].filter(inSight));
    this.lines.setAttribute("d", lines.join(""));
    this.lines.setAttribute("marker-end", "none");
    this.far.replaceChildren();
    this.near.replaceChildren();
    if (far) this.crowd(shown);
    else this.near.append(...shown.map((b) => this.box(b)));
    this.mark();
  }
  crowd(shown) {
    const by = new Map();
    for (const b of shown) {
      const { x, y } = { x: this.layout.x[b], y: this.layout.y[b] };
      by.set(this.boxes[b].status, (by.get(this.boxes[b].status) || "") + `M${x} ${y}h${this.boxes[b].width.toFixed(1)}v${this.layout.height}h${(-this.boxes[b].width).toFixed(1)}z`);
    }
    for (const [status, d] of by) this.far.append(draw("path", { class: "crowd " + status, d }));
  }
  box(b) {
    const box = this.boxes[b], { layout } = this;
    const element = draw("g", { class: `box ${box.kind} ${box.status}`, transform: `translate(${layout.x[b]} ${layout.y[b]})`, "data-box": b });
    element.append(draw("title", {}, [box.head, box.note, box.kind === "op" && page.words[box.status] ? page.words[box.status][0] : ""].filter(Boolean).join(" · ")),
      draw("rect", { width: box.width.toFixed(1), height: layout.height, rx: box.kind === "op" ? 5 : 21 }));
    if (box.kind === "op" && page.words[box.status]) element.append(draw("path", { class: "stripe", d: `M5 .5H4.5A4 4 0 0 0 .5 4.5V${layout.height - 4.5}A4 4 0 0 0 4.5 ${layout.height - 0.5}H5z` }));
    const x = box.kind === "op" ? 13 : 15;
    element.append(draw("text", { x, y: 18, class: "head" }, cut(box.head)), draw("text", { x, y: 34, class: "note" }, cut(box.note)));
    return element;
  }
  // The chosen box, and its lines.
  mark() {
    for (const box of this.near.querySelectorAll(".chosen")) box.classList.remove("chosen");
    const b = this.chosen;
    this.marked.setAttribute("d", b < 0 ? "" : this.layout.lines[b]);
    const element = b < 0 ? null : this.near.querySelector(`[data-box="${b}"]`);
    if (element) element.classList.add("chosen");
  }
  // key: a node, or "v" and a value.  Brings it into sight.
  choose(key, follow = true) {
    this.chosen = this.of.has(key) ? this.of.get(key) : -1;
    if (this.chosen >= 0 && follow) {
      const { width, height } = this.room(), b = this.chosen, k = Math.max(this.view.k, 0.7);
      const x = this.layout.x[b] + this.boxes[b].width / 2, y = this.layout.y[b] + this.layout.height / 2;
      const at = { x: x * this.view.k + this.view.x, y: y * this.view.k + this.view.y };
      if (this.view.k < 0.7 || at.x < 60 || at.y < 40 || at.x > width - 60 || at.y > height - 40) this.set({ k, x: width / 2 - x * k, y: height / 2 - y * k });
    }
    this.mark();
  }
  beside(step) {
    if (this.chosen < 0) return -1;
    const row = this.layout.rows[this.layout.rowOf[this.chosen]];
    const sorted = [...row].sort((a, b) => this.layout.x[a] - this.layout.x[b]);
    const found = sorted[sorted.indexOf(this.chosen) + step];
    return found === undefined ? -1 : found;
  }
  along(step) {
    if (this.chosen < 0) return this.boxes.length ? 0 : -1;
    const edge = this.edges.find(([a, b]) => (step > 0 ? a : b) === this.chosen);
    return edge ? edge[step > 0 ? 1 : 0] : -1;
  }

  listen() {
    const { holder } = this;
    const fingers = new Map();
    let moved = 0, apart = 0;
    holder.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      fingers.set(event.pointerId, event);
      moved = 0;
      apart = 0;
    });
    holder.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const x = event.clientX - before.clientX, y = event.clientY - before.clientY;
      moved += Math.abs(x) + Math.abs(y);
      if (moved > 4 && !holder.hasPointerCapture(event.pointerId)) holder.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, event);
      if (fingers.size === 2) {
        const [a, b] = [...fingers.values()], now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY), box = holder.getBoundingClientRect();
        if (apart) this.zoom(now / apart, (a.clientX + b.clientX) / 2 - box.left, (a.clientY + b.clientY) / 2 - box.top);
        apart = now;
      } else if (moved > 4) this.move(x, y);
    });
    const end = (event) => fingers.delete(event.pointerId);
    holder.addEventListener("pointerup", end);
    holder.addEventListener("pointercancel", end);
    holder.addEventListener("click", (event) => {
      const element = event.target.closest(".box");
      if (element && moved <= 4) this.tell(this.boxes[Number(element.dataset.box)]);
      else if (moved <= 4 && this.view.k < NEAR) {
        const box = holder.getBoundingClientRect();
        this.zoom(0.9 / this.view.k, event.clientX - box.left, event.clientY - box.top);
      }
    });
    // The wheel scrolls the page until someone clicks into the graph.
    holder.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== holder) return;
      event.preventDefault();
      const box = holder.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey || !event.shiftKey) this.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)), event.clientX - box.left, event.clientY - box.top);
      else this.move(-event.deltaY - event.deltaX, 0);
    }, { passive: false });
    // What stands in the middle stays there when a window, or a phone, is turned.
    let before = this.room().width;
    new ResizeObserver(() => {
      const { width } = this.room(), by = (width - before) / 2;
      before = width;
      if (!this.layout) return;
      if (by) this.move(by, 0);
      this.draw();
    }).observe(holder);
  }
}
page.Scene = Scene;

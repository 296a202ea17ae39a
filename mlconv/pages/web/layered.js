// A layered drawing (Sugiyama, Tagawa and Toda 1981): rows by longest paths, order within rows by barycentres, places by
// least squares.  Lines run straight down within rows, where a slot is kept free for them, and bend between rows alone:
// so none crosses a box.  All of it is linear, or n log n for sorting, in boxes and the slots that lines take.
const ROW = 44, GAP = 36, APART = 18, SLOT = 10;
const WIDEST = 40;  // boxes of a row; what is beside them goes to a row below
const FARTHEST = [60, 30, 12, 4, 1];  // rows that a line goes down at most; another one is a note at its ends
const MOST_SLOTS = 120000;
const SWEEPS = 4;

// size: of boxes.  edges: pairs of boxes, from a lower number to a higher one.
function rowsOf(size, edges) {
  const rank = new Int32Array(size), next = new Array(size).fill(Infinity), first = new Uint8Array(size).fill(1);
  for (const [a, b] of edges) { rank[b] = Math.max(rank[b], rank[a] + 1); first[b] = 0; }
  for (const [a, b] of edges) next[a] = Math.min(next[a], rank[b]);
  for (let i = 0; i < size; i += 1) if (first[i] && next[i] < Infinity) rank[i] = next[i] - 1;
  const buckets = [];
  for (let i = 0; i < size; i += 1) (buckets[rank[i]] ||= []).push(i);
  const rows = [];
  for (const bucket of buckets) for (let k = 0; bucket && k < bucket.length; k += WIDEST) rows.push(bucket.slice(k, k + WIDEST));
  return rows;
}

// Moves values to those closest to the wanted ones, each at least `apart` behind the one before: pools of neighbours that
// would overlap (pool-adjacent-violators).
function spread(row, wanted, weight, apart, x) {
  const sums = [], weights = [], ends = [];
  let offset = 0;
  for (let i = 0; i < row.length; i += 1) {
    offset += i ? apart[i - 1] : 0;
    let sum = (wanted[i] - offset) * weight[i], all = weight[i];
    while (sums.length && sums[sums.length - 1] * all > sum * weights[weights.length - 1]) {
      sum += sums.pop();
      all += weights.pop();
      ends.pop();
    }
    sums.push(sum);
    weights.push(all);
    ends.push(i);
  }
  offset = 0;
  for (let i = 0, pool = 0; i < row.length; i += 1) {
    offset += i ? apart[i - 1] : 0;
    if (i > ends[pool]) pool += 1;
    x[row[i]] = sums[pool] / weights[pool] + offset;
  }
}

// Lines that are short enough, and slots for them in the rows that they pass: those of one box share theirs.
function routed(rowOf, edges) {
  let near = [], deepest = [];
  for (const most of FARTHEST) {
    near = edges.filter(([a, b]) => rowOf[b] > rowOf[a] && rowOf[b] - rowOf[a] <= most);
    deepest = [];
    for (const [a, b] of near) deepest[a] = Math.max(deepest[a] || 0, rowOf[b]);
    if (deepest.reduce((sum, row, a) => sum + Math.max(0, row - rowOf[a] - 1), 0) <= MOST_SLOTS) break;
  }
  return { near, deepest };
}

// Items are boxes, then slots.  up, down: items of the next row that each is linked to.
function linked(size, rows, rowOf, near, deepest) {
  const up = Array.from({ length: size }, () => []), down = Array.from({ length: size }, () => []), slots = new Map();
  const items = rows.map((row) => [...row]);
  const link = (a, b) => { down[a].push(b); up[b].push(a); };
  deepest.forEach((row, a) => {
    let last = a;
    const chain = [];
    for (let r = rowOf[a] + 1; r < row; r += 1) {
      const slot = up.length;
      up.push([]);
      down.push([]);
      link(last, slot);
      items[r].push(slot);
      chain.push(slot);
      last = slot;
    }
    slots.set(a, chain);
  });
  for (const [a, b] of near) link(rowOf[b] - rowOf[a] === 1 ? a : slots.get(a)[rowOf[b] - rowOf[a] - 2], b);
  return { items, up, down, slots };
}

const mean = (near, value, otherwise) => {
  if (!near.length) return otherwise;
  let sum = 0;
  for (const item of near) sum += value[item];
  return sum / near.length;
};

function ordered(items, up, down) {
  const at = new Float64Array(up.length), key = new Float64Array(up.length);
  items.forEach((row) => row.forEach((item, i) => { at[item] = i; }));
  const sort = (row, near) => {
    if (row.length < 2) return;
    for (const item of row) key[item] = mean(near[item], at, at[item]);
    row.sort((a, b) => key[a] - key[b] || at[a] - at[b]);
    row.forEach((item, i) => { at[item] = i; });
  };
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    items.forEach((row) => sort(row, up));
    if (sweep < SWEEPS - 1) for (let r = items.length - 1; r >= 0; r -= 1) sort(items[r], down);
  }
}

function placed(items, up, down, width) {
  const x = new Float64Array(up.length);
  const apart = items.map((row) => row.slice(1).map((item, i) => (width(row[i]) + width(item)) / 2 + APART));
  items.forEach((row, r) => { let at = 0; row.forEach((item, i) => { x[item] = at += i ? apart[r][i - 1] : 0; }); });
  // What nothing is known of goes where there is room; lines are kept straight before boxes.
  const align = (r, near) => {
    const row = items[r], wanted = row.map((item) => mean(near[item], x, x[item]));
    spread(row, wanted, row.map((item) => (near[item].length ? (width(item) === SLOT ? 6 : 1) : 0.01)), apart[r], x);
  };
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (let r = 1; r < items.length; r += 1) align(r, up);
    for (let r = items.length - 2; r >= 0; r -= 1) align(r, down);
  }
  const both = up.map((near, item) => (down[item].length ? near.concat(down[item]) : near));
  for (let r = 0; r < items.length; r += 1) align(r, both);
  return x;
}

// widths: of boxes.  Returns places of their left upper corners, the lines of each box as a path with the last row that
// it reaches, boxes by row, and how many edges are notes.
page.layered = (widths, edges) => {
  const size = widths.length, rows = rowsOf(size, edges), rowOf = new Int32Array(size);
  rows.forEach((row, r) => row.forEach((i) => { rowOf[i] = r; }));
  const { near, deepest } = routed(rowOf, edges);
  const { items, up, down, slots } = linked(size, rows, rowOf, near, deepest);
  const width = (item) => (item < size ? widths[item] : SLOT);
  ordered(items, up, down);
  const centre = placed(items, up, down, width);
  let left = Infinity, right = -Infinity;
  items.forEach((row) => row.forEach((item) => { left = Math.min(left, centre[item] - width(item) / 2); right = Math.max(right, centre[item] + width(item) / 2); }));
  const top = (r) => r * (ROW + GAP), n = (value) => Math.round(value * 10) / 10;
  const ends = widths.map((_, b) => new Map([...up[b]].sort((p, q) => centre[p] - centre[q]).map((item, i) => [item, i])));
  const arrival = (a, b) => centre[b] + (ends[b].get(a) - (ends[b].size - 1) / 2) * Math.min(14, (widths[b] - 20) / ends[b].size);
  const bend = (x1, x2, r) => `M${n(x1 - left)} ${top(r) + ROW}C${n(x1 - left)} ${top(r) + ROW + GAP / 2} ${n(x2 - left)} ${top(r) + ROW + GAP / 2} ${n(x2 - left)} ${top(r + 1)}`;
  const lines = widths.map((_, a) => {
    const parts = [a, ...(slots.get(a) || [])].map((item, k) => {
      const row = rowOf[a] + k, pass = k ? `M${n(centre[item] - left)} ${top(row)}V${top(row) + ROW}` : "";
      return pass + down[item].map((to) => bend(centre[item], to < size ? arrival(item, to) : centre[to], row)).join("");
    });
    return parts.join("");
  });
  return {
    x: widths.map((w, i) => n(centre[i] - w / 2 - left)), y: widths.map((_, i) => top(rowOf[i])), rows, rowOf, lines,
    last: widths.map((_, i) => deepest[i] || rowOf[i]), pitch: ROW + GAP, height: ROW,
    size: [Math.max(1, right - left), rows.length * (ROW + GAP) - GAP], notes: edges.length - near.length,
  };
};

// The tables of the graphs, by what one asks of them.  Nodes, values and blocks are numbers.
const { graphs, places } = data.graph;

// `core.conv` without its dialect; names of domains stay.
const bare = (kind) => kind.replace(/^(core|onnx|tf|tfl|hlo|kernel)\./, "");

function opened(facts) {
  const { nodes } = facts, size = nodes.kind.length;
  const producer = new Map(), readers = new Map(), constant = new Map(), argument = new Map(), output = new Map();
  const inBlock = facts.blocks.map(() => []), bodies = new Map();
  for (let i = 0; i < size; i += 1) {
    for (const v of nodes.results[i]) producer.set(v, i);
    for (const v of nodes.operands[i]) {
      if (v < 0) continue;
      if (!readers.has(v)) readers.set(v, []);
      if (readers.get(v).at(-1) !== i) readers.get(v).push(i);
    }
    if (nodes.block[i] >= 0) inBlock[nodes.block[i]].push(i);
  }
  for (const [value, size_, text] of facts.constants) constant.set(value, { bytes: size_, text });
  facts.blocks.forEach((block, b) => {
    for (const v of block.inputs) argument.set(v, b);
    for (const [name, v] of block.outputs) output.set(v, [...(output.get(v) || []), name || "result"]);
    if (block.node >= 0) bodies.set(block.node, [...(bodies.get(block.node) || []), b]);
  });
  // What bodies read of the blocks around them is read by the nodes whose bodies they are.
  const blockOf = (v) => (producer.has(v) ? nodes.block[producer.get(v)] : argument.has(v) ? argument.get(v) : -1);
  const captured = new Map();
  const capture = (v, inner) => {
    const home = blockOf(v);
    for (let b = inner; home >= 0 && b >= 0 && b !== home && facts.blocks[b].node >= 0; b = nodes.block[facts.blocks[b].node]) {
      const node = facts.blocks[b].node;
      if (!captured.has(node)) captured.set(node, new Set());
      captured.get(node).add(v);
    }
  };
  if (facts.blocks.some((block) => block.node >= 0)) {
    nodes.operands.forEach((operands, i) => operands.forEach((v) => { if (v >= 0) capture(v, nodes.block[i]); }));
    facts.blocks.forEach((block, b) => block.outputs.forEach(([, v]) => capture(v, b)));
  }
  return {
    home: blockOf,
    captured: (i) => [...(captured.get(i) || [])],
    facts, size, label: facts.label, omitted: facts.omitted, blocks: facts.blocks,
    kind: (i) => facts.kinds[nodes.kind[i]],
    title: (i) => bare(facts.kinds[nodes.kind[i]]),
    name: (i) => nodes.name[i],
    block: (i) => nodes.block[i],
    operands: (i) => nodes.operands[i],
    more: (i) => nodes.more[i],
    results: (i) => nodes.results[i],
    attributes: (i) => nodes.attributes[i].map((a) => facts.attributes[a]),
    stack: (i) => (nodes.place[i] < 0 ? [] : places.stacks[nodes.place[i]].map(frame)),
    type: (v) => facts.types[facts.type_of[v]],
    knownType: (v) => facts.types[facts.type_of[v]].replace(/^unknown.*/, ""),
    called: (v) => facts.names[v],
    inBlock: (b) => inBlock[b],
    bodies: (i) => bodies.get(i) || [],
    producer: (v) => (producer.has(v) ? producer.get(v) : -1),
    readers: (v) => readers.get(v) || [],
    constant: (v) => constant.get(v),
    argument: (v) => argument.has(v),
    outputs: (v) => output.get(v) || [],
  };
}
function frame(number) {
  const [file, line, column, name, text] = places.frames[number];
  const lines = places.lines[file];
  return { file: places.files[file], line, column, name, lines, text: lines[line] === undefined ? text : lines[line] };
}
const spot = (f) => `${f.file}:${f.line}${f.column ? ":" + f.column : ""}`;

// What each status says, and in what words.
const WORDS = {
  kept: ["kept", "one op of the target does what it does, and nothing else"],
  fused: ["fused", "one op of the target does it together with others"],
  composed: ["composed", "several ops of the target do it together"],
  folded: ["folded", "its numbers were known: they became data, or sizes of other ops"],
  removed: ["removed", "nothing had to be done for it"],
  unread: ["unread", "nothing reads what it makes"],
  left: ["left as it is", "the target passes it on to a runtime that has it"],
  refused: ["refused", "the target has no form of it"],
  unknown: ["not judged", "the conversion did not come to it"],
};
const fates = data.fates || null;
const madeOf = new Map();
if (fates) fates.ops.forEach((ops, i) => ops.forEach((op) => madeOf.set(op, [...(madeOf.get(op) || []), i])));

page.graphs = graphs.map(opened);
page.bare = bare;
page.spot = spot;
page.frame = frame;
page.stackOf = (number) => (number < 0 ? [] : places.stacks[number].map(frame));
page.words = WORDS;
page.fate = (i) => (fates ? { status: fates.statuses[fates.status[i]], by: fates.by[i], ops: fates.ops[i] } : null);
page.statuses = fates ? fates.statuses.filter((_, s) => fates.status.includes(s)) : [];
page.madeOf = (op) => madeOf.get(op) || [];
page.place = (graph, i) => { const stack = graph.stack(i); return stack.length ? spot(stack[0]) : ""; };
const said = new Map();
for (const d of data.diagnostics || []) if (d.node) said.set(d.node, [...(said.get(d.node) || []), d]);
page.saidOf = (name) => said.get(name) || [];

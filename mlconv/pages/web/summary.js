// The conversion at a glance.
const { summary, memory, stages, verification = summary.verification } = data;
const sum = (values) => Object.values(values).reduce((total, value) => total + value, 0);
const ratio = (after, before) => (known(after) && known(before) && before ? `${short((100 * after) / before)} % of ${bytes(before)}` : "");
const errors = verification.map((row) => row.relative).filter(known);
const peak = memory.plan ? memory.plan.arena : memory.after ? memory.after.peak : null;
const source = data.graph.graphs[0], lost = data.fates.status.length + source.omitted;
at("summary").append(
  tile("Artifact", bytes(summary.output_bytes), summary.source_bytes ? `model ${bytes(summary.source_bytes)}` : "", ""),
  tile("Ops", count(sum(summary.ops)), `of ${plural(lost, "op")} of the source; ${plural(summary.transposes, "transpose")}`),
  tile(memory.plan ? "Arena" : "Peak", known(peak) ? bytes(peak) : "–", known(peak) ? (memory.before && known(memory.before.peak) ? `${bytes(memory.before.peak)} were live op by op` : "") : "sizes are known at run time"),
  tile("Bytes moved", memory.after && known(memory.after.read) ? bytes(memory.after.read + memory.after.written) : "–", memory.before && memory.after && known(memory.before.read) && known(memory.after.read) ? ratio(memory.after.read + memory.after.written, memory.before.read + memory.before.written) : "sizes are known at run time"),
  tile("Time", `${short(sum(stages.stages))} s`, Object.entries(stages.stages).map(([name, s]) => `${name} ${short(s)}`).join(", ")),
  tile("Verified", verification.length ? (verification.every((row) => row.ok) ? "agrees" : "differs") : "not asked for",
    verification.length ? `${plural(verification.length, "output")}${errors.length ? `; largest relative error ${short(Math.max(...errors))}` : ""}` : "--verify compares it with the model", verification.length ? (verification.every((row) => row.ok) ? "good" : "bad") : ""),
);

const shape = (v) => `${v.dtype}[${v.shape === null ? "*" : v.shape.join(",")}]`;
const ports = [...summary.inputs.map((v) => ["input", v.name, shape(v)]), ...summary.outputs.map((v) => ["output", v.name, shape(v)])];
const mono = (text) => make("span", { class: "name" }, text);
const body = at("interface-body");
body.append(grid([[""], ["name"], ["type"]], ports.slice(0, 200).map(([kind, name, type]) => [kind, mono(name), mono(type)])));
if (ports.length > 200) body.append(make("p", { class: "muted" }, `and ${count(ports.length - 200)} more`));
const parts = Object.entries(summary.parts);
if (parts.length) body.append(make("h3", {}, "Bytes of the artifact"), page.bars(parts.map(([name, size]) => [name, size]), bytes), summary.weights ? make("p", { class: "muted" }, `The model's weights are ${bytes(summary.weights)}.`) : "");
body.append(make("h3", {}, "Ops of the artifact"), page.bars(Object.entries(summary.ops).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)), count, 12));
if (verification.length) body.append(make("h3", {}, "Verification"), grid([["output"], ["largest error", 1], ["of the largest value", 1], [""]],
  verification.map((row) => [mono(row.output), known(row.max_abs) ? row.max_abs.toExponential(2) : row.max_abs, known(row.relative) ? row.relative.toExponential(2) : row.relative, row.ok ? make("span", { class: "good" }, "agrees") : make("span", { class: "bad" }, "differs")])));
const elsewhere = summary.elsewhere;
if (elsewhere.length) body.append(make("h3", {}, "Computed by functions of others"), grid([["op"], ["where"], ["function"]], elsewhere.map((c) => [mono(c.op), mono(c.line || c.node), mono(c.function)])));

// What was found on the way, in the order in which it was.
const MOST = 200;
const list = at("diagnostics-list");
for (const d of data.diagnostics.slice(0, MOST)) {
  const stack = page.stackOf(d.place), [first] = stack;
  list.append(make("li", {}, make("p", {}, make("span", { class: "severity " + d.severity }, `${d.severity} ${d.code}`), ": ", d.message),
    first ? make("p", { class: "name" }, page.spot(first), first.text ? make("code", {}, first.text.trim()) : null) : null,
    d.node ? make("p", { class: "name where" }, `node ${d.node}${d.op ? "  " + d.op : ""}`) : null,
    ...d.why.map((text) => make("p", { class: "muted" }, `why: ${text}`)), ...d.notes.map((text) => make("p", { class: "muted" }, `note: ${text}`)),
    d.help ? make("p", {}, `help: ${d.help}`) : null));
}
if (data.diagnostics.length > MOST) list.append(make("li", { class: "muted" }, `and ${count(data.diagnostics.length - MOST)} more`));

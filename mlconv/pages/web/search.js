// Finds nodes by what they are called, what they are, and where they come from.
const MOST_FOUND = 60;
const texts = [];  // by graph, made when they are first asked for

function textsOf(number) {
  const graph = page.graphs[number];
  return (texts[number] ||= Array.from({ length: graph.size }, (_, i) => {
    const stack = graph.stack(i), fate = number === 0 ? page.fate(i) : null;
    const made = graph.results(i).slice(0, 8).map(graph.called).join(" ");
    return `${graph.kind(i)} ${graph.name(i)} ${made} ${stack.length ? page.spot(stack[0]) + " " + stack[0].name : ""} ${fate ? page.words[fate.status][0] + " " + fate.by : ""}`.toLowerCase();
  }));
}
// All nodes that have all words.
page.search = (number, asked) => {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean), found = [];
  if (words.length) textsOf(number).forEach((text, i) => { if (words.every((word) => text.includes(word))) found.push(i); });
  return found;
};

// So that the first letters of a search need not wait for them.
(window.requestIdleCallback || setTimeout)(() => textsOf(0));

// A box for a search with a list of what is found.  go: shows a node.
page.searchBox = (input, list, said, current, go) => {
  let found = [], active = -1;
  const close = () => { list.hidden = true; input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant"); };
  const mark = (next) => {
    const options = list.querySelectorAll("[role=option]");
    if (options[active]) options[active].setAttribute("aria-selected", "false");
    active = next;
    if (!options[active]) return;
    options[active].setAttribute("aria-selected", "true");
    options[active].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", options[active].id);
  };
  const pick = (i) => { close(); go(current(), i); };
  const option = (i, k) => {
    const graph = page.graphs[current()], fate = current() === 0 ? page.fate(i) : null;
    return make("li", { role: "option", id: "found-" + k, "aria-selected": "false", onmousedown: (event) => { event.preventDefault(); pick(i); } },
      make("b", {}, graph.title(i)), " ", make("span", { class: "name" }, graph.name(i)),
      make("small", {}, [page.place(graph, i), fate ? page.words[fate.status][0] : ""].filter(Boolean).join(" · ")));
  };
  const look = () => {
    found = page.search(current(), input.value);
    active = -1;
    if (!input.value.trim()) { close(); said.textContent = ""; return; }
    said.textContent = found.length ? `${count(found.length)} found` : "nothing found";
    list.replaceChildren(...found.slice(0, MOST_FOUND).map(option));
    if (found.length > MOST_FOUND) list.append(make("li", { class: "muted" }, `and ${count(found.length - MOST_FOUND)} more`));
    list.hidden = !found.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
    if (found.length) mark(0);
  };
  input.addEventListener("input", look);
  input.addEventListener("focus", () => { if (input.value.trim() && list.hidden) look(); });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const most = Math.min(found.length, MOST_FOUND);
    if (event.key === "ArrowDown" && most) mark((active + 1) % most);
    else if (event.key === "ArrowUp" && most) mark((active + most - 1) % most);
    else if (event.key === "Enter" && active >= 0) pick(found[active]);
    else if (event.key === "Escape" && !list.hidden) close();
    else if (event.key === "Escape") { input.value = ""; look(); input.blur(); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return look;
};

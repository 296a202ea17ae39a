// Where the time of the conversion went.
const { stages, passes, counts } = data.stages;
const seconds = (s) => (s >= 1 ? `${s.toFixed(2)} s` : `${(1000 * s).toFixed(s < 0.01 ? 1 : 0)} ms`);
const slowest = Object.entries(passes).sort((a, b) => b[1] - a[1]);
const done = Object.entries(counts).filter(([, n]) => n).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
at("stages-body").append(page.bars(Object.entries(stages), seconds),
  make("details", {}, make("summary", {}, `${plural(slowest.length, "pass", "passes")}, the slowest first`), page.bars(slowest, seconds)));
if (done.length) at("stages-body").append(make("details", {}, make("summary", {}, `${plural(done.length, "rewrite")}, and how often each was made`), grid([["rewrite"], ["times", 1]], done.map(([name, n]) => [make("span", { class: "name" }, name), count(n)]))));

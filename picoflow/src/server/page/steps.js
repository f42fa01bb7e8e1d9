// The steps of the flow: a list, with lines between those that lead to each other drawn beside it.

import { element, find } from "./element.js";

const SVG = "http://www.w3.org/2000/svg";
const [LANE, ROUND, ARROW] = [11, 6, 4];

let graph;
let rows = new Map();
let lines;
let current;
const seen = new ResizeObserver(() => draw());

/** Shows the graph of a flow. */
export function show(data) {
  graph = data;
  rows = new Map(graph.steps.map((step) => [step.step, row(step)]));
  lines = document.createElementNS(SVG, "svg");
  lines.setAttribute("aria-hidden", "true");
  const list = element("ol", {}, ...rows.values());
  find("graph").replaceChildren(lines, list);
  seen.disconnect();
  seen.observe(list);
  light();
}

/** Lights the step that takes the next turn. */
export function light(step) {
  const isNew = step !== current;
  current = step;
  for (const [name, row] of rows) {
    row.removeAttribute("aria-current");
    if (name === step) row.setAttribute("aria-current", "step");
  }
  tellNow();
  draw();
  if (isNew) rows.get(step)?.scrollIntoView({ block: "nearest" });
}

/** Marks the steps that the session has been at; with none, marks none. */
export function visit(steps) {
  for (const [name, row] of rows) row.classList.toggle("visited", steps.includes(name));
  draw();
}

function row({ step, entry, logic, tools }) {
  const name = element("p", { className: "name" }, element("span", { textContent: step }));
  if (entry) name.append(" ", element("span", { className: "tag", textContent: "entry" }));
  if (logic) name.append(" ", element("span", { className: "tag", textContent: "logic" }));
  const made = element("li", { className: logic ? "logic" : "" }, name);
  if (tools.length > 0) {
    const label = element("span", { className: "unseen", textContent: "Tools: " });
    made.append(element("p", { className: "tools" }, label, tools.join(", ")));
  }
  const ways = waysOf(step).map(({ text }) => text);
  if (ways.length > 0) made.append(element("p", { className: "unseen", textContent: `${ways.join("; ")}.` }));
  return made;
}

/** Where a step leads, in words. */
function waysOf(step) {
  return graph.edges.filter((edge) => edge.from === step).map(({ to, kind, method, tools }) => {
    const by = tools.length > 0 ? ` by ${tools.join(", ")}` : ` in ${method}`;
    return { to, text: `${kind === "child" ? "runs" : "goes to"} ${to}${by}` };
  });
}

function tellNow() {
  const step = graph.steps.find(({ step }) => step === current);
  if (!step) {
    const entries = graph.steps.filter(({ entry }) => entry).map(({ step }) => step);
    find("now").replaceChildren(element("p", { className: "muted", textContent: `Begins at ${entries.join(" or ")}.` }));
    return;
  }
  const tools = step.tools.map((tool) => element("li", { textContent: tool }));
  const ways = waysOf(current).map(({ text }) => element("li", { textContent: text }));
  const parts = [element("p", { className: "current" }, "Now at ", element("strong", { textContent: current }))];
  const add = (title, className, items) => {
    if (items.length > 0) parts.push(element("p", { className: "muted", textContent: title }), element("ul", { className }, ...items));
  };
  add("Tools on offer", "offered", tools);
  add("From here it", "ways", ways);
  find("now").replaceChildren(...parts);
}

/** Draws the lines: those to one step share a lane, and short ones are nearest to the list. */
function draw() {
  if (!lines?.parentNode) return;
  const places = new Map([...rows].map(([name, row], i) => [name, { i, y: row.offsetTop + 18 }]));
  const lanes = laid(places);
  const width = (Math.max(0, ...lanes.map(({ lane }) => lane)) + 1) * LANE + 10;
  const list = lines.nextSibling;
  list.style.setProperty("--gutter", `${width}px`);
  lines.setAttribute("width", width + 4);
  lines.setAttribute("height", list.offsetHeight);
  const drawn = lanes.flatMap(({ to, kind, lane, from }) => from.map((name) => {
    const d = way(places.get(name), places.get(to), width - 4, lane);
    return { d, kind, isLive: name === current };
  }));
  // Those of the current step are on top.
  drawn.sort((a, b) => a.isLive - b.isLive);
  const dots = [...places].map(([name, { y }]) => dot(name, width - 4, y));
  lines.replaceChildren(...drawn.map(path), ...dots);
}

/** The lanes: for each step that is led to, from where. */
function laid(places) {
  const lanes = [];
  for (const { from, to, kind } of graph.edges) {
    if (!places.has(from) || !places.has(to) || from === to) continue;
    const isNext = kind === "go" && places.get(to).i === places.get(from).i + 1;
    const known = lanes.find((lane) => !lane.isNext && !isNext && lane.to === to && lane.kind === kind);
    if (!known) lanes.push({ to, kind, isNext, from: [from] });
    else if (!known.from.includes(from)) known.from.push(from);
  }
  for (const lane of lanes) {
    const at = [lane.to, ...lane.from].map((name) => places.get(name).i);
    [lane.first, lane.last] = [Math.min(...at), Math.max(...at)];
  }
  lanes.sort((a, b) => a.last - a.first - (b.last - b.first));
  for (const lane of lanes) {
    const isTaken = (number) => lanes.some((other) => other.lane === number && other.first <= lane.last && lane.first <= other.last);
    let number = lane.isNext ? 0 : 1;
    while (number > 0 && isTaken(number)) number += 1;
    lane.lane = number;
  }
  return lanes;
}

/** From a dot to another by way of a lane; straight down in lane 0. */
function way(from, to, right, lane) {
  if (lane === 0) return `M${right} ${from.y}V${to.y - 7}m-${ARROW} -${ARROW}l${ARROW} ${ARROW}l${ARROW} -${ARROW}`;
  const [x, start, end] = [right - lane * LANE, from.y + 3, to.y - 3];
  const turn = end > start ? ROUND : -ROUND;
  return `M${right} ${start}H${x + ROUND}Q${x} ${start} ${x} ${start + turn}V${end - turn}Q${x} ${end} ${x + ROUND} ${end}H${right - 7}`
    + `m-${ARROW} -${ARROW}l${ARROW} ${ARROW}l-${ARROW} ${ARROW}`;
}

function path({ d, kind, isLive }) {
  const made = document.createElementNS(SVG, "path");
  made.setAttribute("d", d);
  made.setAttribute("class", `${kind}${isLive ? " live" : ""}`);
  return made;
}

/** A circle, or a rhombus for a step without a model. */
function dot(name, x, y) {
  const row = rows.get(name);
  const isLogic = row.classList.contains("logic");
  const made = document.createElementNS(SVG, "path");
  made.setAttribute("d", isLogic ? `M${x - 6} ${y}l6 -6l6 6l-6 6z` : `M${x - 5} ${y}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z`);
  made.setAttribute("class", `dot${name === current ? " live" : ""}${row.classList.contains("visited") ? " visited" : ""}`);
  return made;
}

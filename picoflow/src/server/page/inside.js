// What goes on inside: turns, state, and the session.

import { element, find, json, pretty } from "./element.js";

const turns = find("turns");

/** How many characters are shown without asking for them. */
const LONG = 1500;

/** Empties all of it. */
export function clear() {
  turns.replaceChildren();
  find("no-turns").hidden = false;
  find("state").replaceChildren(element("p", { className: "muted", textContent: "No step has any yet." }));
  find("session").replaceChildren(element("p", { className: "muted", textContent: "It begins with the first turn." }));
}

/** One turn: what happens in it, in order. */
export class Turn {
  #list = element("ol");
  #head = element("span", { className: "muted" });
  #calls = new Map();
  #thoughts;

  constructor(message) {
    find("no-turns").hidden = true;
    for (const older of turns.querySelectorAll(":scope > li > details")) older.open = false;
    const title = message ?? "Without a message";
    const summary = element("summary", {}, element("span", { className: "title", textContent: title }), " ", this.#head);
    turns.prepend(element("li", {}, element("details", { open: true }, summary, this.#list)));
  }

  hear(name, data) {
    if (name === "model_called") {
      this.#thoughts = undefined;
      this.#add("model", "Model", `asked by ${data.step}`);
    } else if (name === "reasoning") this.#think(data.delta);
    else if (name === "tool_started") this.#start(data);
    else if (name === "tool_ended") this.#end(data);
    else if (name === "moved") this.#add("move", "Move", `${data.from} → ${data.to}`);
    else if (name === "child_started") this.#child(data);
    else if (name === "said") this.#add("said", "Said", data.text);
    else if (name === "warned") this.#add("warn", "Warning", data.message);
    else if (name === "summarised") this.#add("said", "Summary", `of ${data.messages} messages in ${data.namespace}`);
    else if (name === "replied") this.#reply(data);
  }

  /** The turn has come to nothing. */
  fail(text) {
    this.#add("fail", "Failed", text);
    this.#head.textContent = "not kept";
  }

  #add(kind, label, text) {
    const made = element(
      "li",
      { className: kind },
      element("span", { className: "label", textContent: label }),
      " ",
      element("span", { className: "what", textContent: text }),
    );
    this.#list.append(made);
    return made;
  }

  #think(delta) {
    if (!this.#thoughts) {
      this.#thoughts = document.createTextNode("");
      const details = element("details", {}, element("summary", { textContent: "what it thinks" }), element("p", {}, this.#thoughts));
      this.#add("model", "Thought", "").lastChild.append(details);
    }
    this.#thoughts.appendData(delta);
  }

  #start({ step, tool, call, arguments: text }) {
    const made = this.#add("tool", "Tool", `${tool} `);
    made.querySelector(".what").append(element("span", { className: "muted", textContent: `at ${step} ` }));
    made.append(block("arguments", pretty(text)));
    this.#calls.set(`${step} ${call}`, made);
  }

  #end({ step, tool, call, status, result }) {
    const made = this.#calls.get(`${step} ${call}`) ?? this.#add("tool", "Tool", `${tool} `);
    this.#calls.delete(`${step} ${call}`);
    const isDone = status === "success";
    if (!isDone) made.classList.add("refused");
    made.querySelector(".what").append(element("span", { className: "tag", textContent: isDone ? "done" : "refused" }));
    made.append(block("result", pretty(result)));
  }

  #child({ step, level }) {
    this.#add("child", "Child", step).style.setProperty("--level", level);
  }

  #reply({ inside }) {
    if (!inside) return;
    this.#head.textContent = `→ ${inside.step}${tokens(inside.usage)}`;
  }
}

/** A text as it is; a long one behind its length. */
function block(className, text) {
  const made = element("pre", { className, textContent: text });
  if (text.length < LONG) return made;
  return element("details", {}, element("summary", { textContent: `${count(text.length)} characters` }), made);
}

const tokens = ({ inputTokens, outputTokens }) =>
  inputTokens || outputTokens ? `, ${count(inputTokens)} tokens read, ${count(outputTokens)} written` : "";

const count = (number) => number.toLocaleString("en");

/** The state of each step, with what is new since the document before. */
export function showState(session, before) {
  const old = new Map(before?.flow.steps.map(({ name, state }) => [name, JSON.stringify(state)]));
  const shown = session.flow.steps.map(({ name, state }) => {
    const title = element("h4", {}, name);
    const isNew = before && old.get(name) !== JSON.stringify(state);
    if (isNew) title.append(" ", element("span", { className: "tag", textContent: "changed" }));
    return element("div", { className: "step-state" }, title, block("", json(state)));
  });
  if (shown.length > 0) find("state").replaceChildren(...shown);
}

/** What the document says of the session as a whole. */
export function showSession(session) {
  const { id, runStatus, turns, tokens, flow, warn = [], error = [], log = [] } = session;
  const { provider, name } = flow.model;
  const rows = [
    ["Status", runStatus],
    ["Turns", count(turns)],
    ["Tokens", `${count(tokens.inputTokens)} read, ${count(tokens.outputTokens)} written`],
    ["Model", `${provider}/${name}`],
    ["Config", json(flow.context)],
    ["Id", id],
  ];
  const list = element("dl", {}, ...rows.flatMap(([term, text]) => [
    element("dt", { textContent: term }),
    element("dd", { textContent: text }),
  ]));
  const notes = [...error, ...warn, ...log].sort((a, b) => a.timestamp.localeCompare(b.timestamp));
  const written = notes.map(({ level, message, step }) => element(
    "li",
    { className: { error: "fail", warn: "warn", log: "said" }[level] },
    element("span", { className: "label", textContent: { error: "Error", warn: "Warning", log: "Log" }[level] }),
    " ",
    element("span", { className: "what", textContent: step ? `${step}: ${message}` : message }),
  ));
  find("session").replaceChildren(list, ...(written.length > 0 ? [element("ol", { className: "notes" }, ...written)] : []));
}

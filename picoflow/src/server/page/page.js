// The page: what the user does, and what becomes of it.

import * as chat from "./chat.js";
import { element, find } from "./element.js";
import * as inside from "./inside.js";
import * as kept from "./kept.js";
import * as service from "./service.js";
import * as steps from "./steps.js";

const [flows, message, config, composer] = ["flow", "message", "config", "composer"].map(find);

/** The session; nothing before its first turn. */
let session;
/** Its turns that have come to a reply. */
let turns = [];
/** Its document, for those who may look inside. */
let stored;
let isInside = false;
/** What stops the turn that runs. */
let running;
/** What the user wanted when the service asked for a token. */
let wanted;
let opening = Promise.resolve();

/** Shows what the address names, one after the other where it changes fast. */
function open() {
  opening = opening.then(load);
  return opening;
}

/** Shows a flow, and maybe a session. */
async function load() {
  running?.abort();
  runs(undefined);
  chat.clear();
  inside.clear();
  const address = new URLSearchParams(location.hash.slice(1));
  try {
    const names = await service.flows();
    flows.replaceChildren(...names.map((name) => element("option", { textContent: name })));
    flows.value = names.includes(address.get("flow")) ? address.get("flow") : names[0];
    await look();
    begin(address.get("session") ?? undefined);
    if (session) await restore();
  } catch (error) {
    trouble(error, open);
  }
}

/** The steps of the flow, if the caller may look inside. */
async function look() {
  try {
    steps.show(await service.graph(flows.value));
    isInside = true;
  } catch (error) {
    if (error.status !== 403) throw error;
    isInside = false;
  }
  find("open").hidden = !isInside;
  find("closed").hidden = isInside;
}

/** Begins with this session, or with none yet. */
function begin(id) {
  [session, turns, stored] = [id, [], undefined];
  end(false);
  address();
}

function address() {
  const named = new URLSearchParams({ flow: flows.value, ...(session && { session }) });
  history.replaceState(null, "", `#${named}`);
  flows.disabled = Boolean(session);
  find("start").hidden = Boolean(session);
  find("empty").hidden = Boolean(session);
}

/** Shows the session as this tab has seen it, or as its document has it. */
async function restore() {
  turns = kept.load(session);
  if (isInside) await refresh();
  if (isInside && stored.turns !== turns.length) {
    turns = [];
    chat.history(kept.said(stored));
    chat.note("This is what the histories of the steps have: what they said among themselves too.");
  } else if (turns.length === 0) {
    chat.note("The conversation goes on. What was said before is not shown here.");
  }
  for (const { message, events } of turns) {
    const views = [new chat.Turn(message), new inside.Turn(message)];
    for (const [name, data] of events) for (const view of views) view.hear(name, data);
  }
  end(isInside ? stored.runStatus === "completed" : turns.at(-1)?.events.at(-1)[1].completed);
}

/** Reads the document and shows what it says. */
async function refresh() {
  const read = await service.session(session);
  if (read.id !== session) return;
  steps.light(read.flow.currentStep);
  steps.visit(read.flow.sequence.map(({ stepName }) => stepName));
  inside.showState(read, stored);
  inside.showSession(read);
  stored = read;
}

/** Whether the conversation is over. */
function end(isOver) {
  const hadFocus = composer.contains(document.activeElement);
  composer.hidden = isOver;
  find("ended").hidden = !isOver;
  if (isOver && hadFocus) find("again").focus();
}

/** Sends what the user has written. */
function send() {
  const text = message.value;
  message.focus();
  if (running || (session && !text.trim())) return;
  const turn = { flow: flows.value, session, key: service.newKey() };
  if (text.trim()) turn.message = text;
  if (!session && !readConfig(turn)) return;
  message.value = "";
  attempt(turn);
}

function readConfig(turn) {
  const error = find("config-error");
  error.textContent = "";
  config.removeAttribute("aria-invalid");
  if (!config.value.trim()) return true;
  try {
    turn.config = JSON.parse(config.value);
    return true;
  } catch (fault) {
    error.textContent = `This is no JSON: ${fault.message}`;
    config.setAttribute("aria-invalid", "true");
    find("start").open = true;
    config.focus();
    return false;
  }
}

/** Runs a turn, for the first time or again. */
async function attempt(turn) {
  const stop = new AbortController();
  const [said, log, events] = [new chat.Turn(turn.message), new inside.Turn(turn.message), []];
  const again = () => {
    said.remove();
    attempt(turn);
  };
  find("announcer").textContent = "";
  find("empty").hidden = true;
  runs(stop);
  try {
    await service.run(turn, stop.signal, (name, data) => {
      if (name !== "text" && name !== "reasoning") events.push([name, data]);
      said.hear(name, data);
      log.hear(name, data);
      follow(name, data);
    });
    if (running !== stop) return;
    turns.push({ message: turn.message, events });
    await replied(events.at(-1)[1]);
  } catch (error) {
    if (running !== stop) return;
    said.end();
    log.fail(error.name === "AbortError" ? "stopped" : error.message);
    if (isInside) steps.light(stored?.flow.currentStep);
    failed(error, turn, again);
  } finally {
    if (running === stop) runs(undefined);
  }
}

/** Shows that a turn runs, and how to stop it; or that none does. */
function runs(stop) {
  running = stop;
  const hadFocus = document.activeElement === find("stop");
  find("send").hidden = Boolean(stop);
  find("stop").hidden = !stop;
  find("status").textContent = stop ? "Waiting for the reply…" : "";
  if (!stop && hadFocus) message.focus();
}

/** What an event means for those who listen, and for the steps. */
function follow(name, data) {
  if (name === "said") chat.announce(data.text);
  else if (name === "moved" && isInside) steps.light(data.to);
}

async function replied(reply) {
  session = reply.session;
  kept.save(session, turns);
  address();
  // The focus moves first: what is spoken on its account would cut the reply short.
  end(reply.completed);
  chat.announce(reply.message);
  if (reply.completed) chat.announce("This conversation has ended.");
  if (isInside) await refresh().catch((error) => trouble(error, () => refresh()));
}

/** What becomes of a turn that came to nothing. */
function failed(error, turn, again) {
  if (error.name === "AbortError") {
    chat.note("Stopped: what was not answered is not kept.", { action: "Try again", act: again });
  } else if (error.code === "SESSION_ENDED") {
    chat.note(error.message, { isError: true });
    end(true);
  } else if (error.status === 0 || error.status >= 500 || [401, 408, 409].includes(error.status)) {
    trouble(error, again);
  } else {
    // Sent again it would fail again.
    trouble(error);
    message.value ||= turn.message ?? "";
  }
}

/** Tells what is wrong, and how to go on. */
function trouble(error, again) {
  if (error.status === 401) return ask(again);
  if (error.status === 404) return chat.note(error.message, { isError: true, action: "New conversation", act: renew });
  const text = error.code ? `${error.message} (${error.code})` : String(error);
  chat.note(text, { isError: true, action: again && "Try again", act: again });
}

/** Asks for the token that the service wants. */
function ask(again) {
  const isKnown = find("token").value !== "";
  wanted = again;
  find("access").hidden = false;
  find("token-error").textContent = isKnown ? "The service does not know this token." : "";
  find("token").focus();
}

function renew() {
  history.replaceState(null, "", `#${new URLSearchParams({ flow: flows.value })}`);
  open().then(() => message.focus());
}

function view(name) {
  document.body.dataset.view = name;
  for (const each of ["chat", "inside"]) find(`view-${each}`).setAttribute("aria-pressed", String(each === name));
}

composer.addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});
message.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  send();
});
find("access").addEventListener("submit", (event) => {
  event.preventDefault();
  service.setToken(find("token").value);
  find("access").hidden = true;
  wanted();
  message.focus();
});
flows.addEventListener("change", renew);
find("stop").addEventListener("click", () => running?.abort());
find("new").addEventListener("click", renew);
find("again").addEventListener("click", renew);
find("view-chat").addEventListener("click", () => view("chat"));
find("view-inside").addEventListener("click", () => view("inside"));
addEventListener("hashchange", open);
open();

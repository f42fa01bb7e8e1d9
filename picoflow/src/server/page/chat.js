// The conversation: what the user says, and what the user is told.

import { element, find } from "./element.js";

const [list, scroll, announcer, notice] = ["messages", "scroll", "announcer", "notice"].map(find);

/** How many pixels from the end still count as the end. */
const NEAR = 60;

/** Whether the newest message is in view, so that it is kept there. */
let isAtEnd = true;

scroll.addEventListener("scroll", () => {
  isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR;
});
// Such as when a keyboard comes up on a telephone.
new ResizeObserver(() => toEnd()).observe(scroll);

/** Empties the conversation. */
export function clear() {
  list.replaceChildren();
  notice.replaceChildren();
  announcer.textContent = "";
}

/** Tells those who listen, at once and not word by word. */
export function announce(text) {
  announcer.append(element("p", { textContent: text }));
}

/** What went wrong or is worth to know, with a way out. */
export function note(text, { isError = false, action, act } = {}) {
  const said = element("p", { textContent: text });
  if (isError) said.setAttribute("role", "alert");
  else announce(text);
  notice.replaceChildren(said);
  notice.className = isError ? "error" : "";
  if (action) notice.append(element("button", { type: "button", textContent: action, onclick: act }));
  toEnd(true);
}

/** Takes the note away. */
export function unnote() {
  notice.replaceChildren();
}

/** Messages as the document of a session has them: of all steps, in the order of time. */
export function history(messages) {
  for (const { type, content, step } of messages) {
    bubble(type === "human" ? "user" : "assistant", content, step);
  }
  toEnd(true);
}

/** One turn of the conversation. */
export class Turn {
  #asked;
  #pending;
  #text;

  constructor(message) {
    unnote();
    if (message !== undefined) this.#asked = bubble("user", message);
    this.#text = document.createTextNode("");
    this.#pending = bubble("assistant", this.#text);
    this.#pending.setAttribute("aria-busy", "true");
    toEnd(true);
  }

  hear(name, data) {
    if (name === "model_called") this.#text.data = "";
    else if (name === "text") this.#text.appendData(data.delta);
    else if (name === "said") this.#pending.before(bubble("assistant", data.text));
    else if (name === "replied") this.#reply(data);
    toEnd();
  }

  /** The turn has come to nothing, so what it said does not count. */
  end() {
    this.#asked?.classList.add("lost");
    this.#pending.removeAttribute("aria-busy");
    if (this.#text.data) this.#pending.classList.add("lost");
    else this.#pending.remove();
  }

  /** Takes all of it away, such as before it is tried again. */
  remove() {
    this.#asked?.remove();
    this.#pending.remove();
  }

  #reply({ message, contentType }) {
    this.#text.data = message;
    this.#pending.removeAttribute("aria-busy");
    if (!message) this.#pending.remove();
    // A text of another kind is shown as it is written.
    if (contentType !== "text/plain") this.#pending.append(element("p", { className: "kind", textContent: contentType }));
  }
}

function bubble(who, text, step) {
  const label = who === "user" ? "You" : "Assistant";
  const made = element(
    "li",
    { className: who },
    element("p", { className: "unseen", textContent: `${label}:` }),
    element("p", { className: "text", dir: "auto" }, text),
  );
  if (step) made.append(element("p", { className: "kind", textContent: step }));
  list.append(made);
  return made;
}

/** Goes on to show the end, if that is what was shown. */
function toEnd(always = false) {
  if (always || isAtEnd) scroll.scrollTop = scroll.scrollHeight;
}

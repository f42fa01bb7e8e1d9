// The turns of the conversation as this tab has seen them, so that a reload shows them as they were.

const TURNS = "picoflow.turns";

/** The turns of this session; none, if this tab has seen no or another one. */
export function load(session) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(TURNS));
    return kept?.session === session ? kept.turns : [];
  } catch {
    return [];
  }
}

/** Keeps them in place of what was kept. Without room for them, nothing is kept. */
export function save(session, turns) {
  try {
    sessionStorage.setItem(TURNS, JSON.stringify({ session, turns }));
  } catch {
    sessionStorage.removeItem(TURNS);
  }
}

/** What is said in the histories of a session's document, in the order of time. */
export function said({ flow }) {
  const all = Object.values(flow.memory).flatMap(({ messages }) => messages);
  const texts = all.filter(({ type, content }) => (type === "human" || type === "ai") && content !== "");
  texts.sort((a, b) => a.timestamp.localeCompare(b.timestamp));
  return texts.map(({ id, type, content }) => ({ type, content, step: id.split("|")[0] }));
}

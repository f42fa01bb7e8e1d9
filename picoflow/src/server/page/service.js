// The routes of the service, relative to the page.

const TOKEN = "picoflow.token";

/** Why a request failed: a problem as of RFC 9457, or what stands in for one. */
export class Problem extends Error {
  constructor({ detail, code, status }) {
    super(detail);
    this.code = code;
    this.status = status;
  }
}

/** What the network has thrown; that the user has stopped is no problem. */
const unreached = (error) => error.name === "AbortError" ? error : broken();

const broken = () => new Problem({
  status: 0,
  code: "CONNECTION_LOST",
  detail: "the service cannot be reached, or the connection broke",
});

export const setToken = (token) => sessionStorage.setItem(TOKEN, token);

async function request(path, options = {}) {
  const headers = new Headers(options.headers);
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.set("Authorization", `Bearer ${token}`);
  const response = await fetch(path, { ...options, headers }).catch((error) => {
    throw unreached(error);
  });
  if (response.ok) return response;
  const detail = `the service answered with status ${response.status}`;
  const problem = await response.json().catch(() => ({}));
  throw new Problem({ code: "FAILED", detail, ...problem, status: response.status });
}

const read = async (path) => (await request(path)).json();

export const flows = () => read("ai/flows");
export const graph = (flow) => read(`ai/flows/${encodeURIComponent(flow)}/graph`);
export const session = (id) => read(`ai/sessions/${encodeURIComponent(id)}`);

/** A name for a turn. `crypto.randomUUID` is not there where the page has come without TLS. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Runs a turn, and tells its events by name and data. The last one is `replied`; else this throws. */
export async function run(turn, signal, tell) {
  const { flow, session, key, message, config } = turn;
  const headers = {
    "Accept": "text/event-stream",
    "Content-Type": "application/json",
    "Idempotency-Key": key,
  };
  if (session) headers["Chat-Session-Id"] = session;
  const body = JSON.stringify({ flowName: flow, message, config });
  const response = await request("ai/run", { method: "POST", headers, body, signal });
  let last;
  for await (const { name, data } of events(response.body)) {
    last = name;
    if (name === "error") throw new Problem(data);
    tell(name, data);
  }
  if (last !== "replied") throw broken();
}

/** The server-sent events of a body: each has one line of data, which is JSON. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        throw unreached(error);
      });
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const fields = new Map(block.split("\n").map((line) => {
          const colon = line.indexOf(":");
          return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
        }));
        if (fields.has("data")) yield { name: fields.get("event"), data: JSON.parse(fields.get("data")) };
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

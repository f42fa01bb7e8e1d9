// Elements, whose texts are never read as HTML.

/** An element with these properties and children; attributes are named with a leading `@`. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("@")) made.setAttribute(key.slice(1), value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

/** The element with this id. */
export const find = (id) => document.getElementById(id);

/** How many characters of JSON stand in one line. */
const SHORT = 60;

/** A value as JSON, over several lines where it is long. */
export function json(value) {
  const text = JSON.stringify(value, null, 2);
  // A line break is never in a string: there it is written as `\n`.
  const line = text.replace(/\n\s*/g, " ");
  return line.length <= SHORT ? line : text;
}

/** A JSON text as one for people; any other text as it is. */
export function pretty(text) {
  try {
    return json(JSON.parse(text));
  } catch {
    return text;
  }
}

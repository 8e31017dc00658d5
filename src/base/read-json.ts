/** Returns the value of a JSON text, and any other text unchanged. */
export function readJsonOrText(text: string): unknown {
  const value = readJson(text);
  return value === undefined ? text : value;
}

/** Returns the value of a JSON text. Returns undefined for any other text. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

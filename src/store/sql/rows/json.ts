/** What the bytes of a column say as JSON. Throws a TypeError that does not quote them, as that of `JSON.parse` does: errors are logged. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch {
    throw new TypeError(`${bytes.byteLength} bytes that are not valid JSON`);
  }
}

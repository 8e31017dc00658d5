/*
 * Text as Java streams hold it: UTF-8, but U+0000 in two bytes, and the halves of a surrogate pair one by one.
 */

export function decodeModifiedUtf8(bytes: Uint8Array): string {
  const units: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] as number;
    const size = first < 0x80 ? 1 : (first & 0xe0) === 0xc0 ? 2 : 3;
    const second = (bytes[at + 1] ?? 0) & 0x3f;
    if (size === 1) units.push(String.fromCharCode(first));
    else if (size === 2) units.push(String.fromCharCode(((first & 0x1f) << 6) | second));
    else units.push(String.fromCharCode(((first & 0x0f) << 12) | (second << 6) | ((bytes[at + 2] ?? 0) & 0x3f)));
    at += size;
  }
  return units.join('');
}

export function encodeModifiedUtf8(text: string): Uint8Array {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code !== 0 && code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 0x3f));
    else bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
  }
  return Uint8Array.from(bytes);
}

import { readJson } from '../base/read-json';
import { Problem } from '../operations/problem';

/** Maximum size of a request body: 1 MiB. */
const MAX_BODY_BYTES = 1_048_576;

/** Maximum number of values in a body, including nested ones. More values would block the event loop for too long. */
const MAX_VALUES = 10_000;

/** Maximum nesting depth of a body. No schedule needs more, and a deeper body could overflow the stack. */
const MAX_DEPTH = 64;

/** Tells the developer who mounts the console why it cannot read a body. */
export const BODY_CONSUMED =
  'The body of this request was read before the console received it, and was not kept. Keep the parsed body in request.body, or the bytes in ' +
  'request.rawBody, of the request that the console receives; or mount the console before what reads bodies.';

/**
 * Returns the fields of a JSON body, or an empty object for an empty body. Rejects with NOT_JSON for another content
 * type, with TOO_LARGE for more than 1 MiB or 10,000 values, with BODY_CONSUMED for a body that was read before, or with INVALID_INPUT for any
 * other invalid body.
 */
export async function readJsonBody(request: Request): Promise<Readonly<Record<string, unknown>>> {
  // A page on another site cannot send this content type without a CORS preflight, unlike forms and plain text.
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') {
    throw new Problem('NOT_JSON', 'Expected the header Content-Type: application/json, even for an empty body.');
  }
  const text = await readText(request);
  if (text.trim() === '') return {};
  if (hasMoreValues(text, MAX_VALUES))
    throw new Problem('TOO_LARGE', `The body: expected at most ${MAX_VALUES} values, including nested ones.`);
  const body = parse(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Problem('INVALID_INPUT', 'The body: expected a JSON object.');
  }
  checkShape(body);
  return body as Record<string, unknown>;
}

async function readText(request: Request): Promise<string> {
  const tooLarge = () => new Problem('TOO_LARGE', `The body: expected at most ${MAX_BODY_BYTES} bytes.`);
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  if (request.bodyUsed) throw new Problem('BODY_CONSUMED', BODY_CONSUMED);
  if (request.body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Problem('INVALID_INPUT', 'The body: expected UTF-8 text.');
  }
}

const [QUOTE, BACKSLASH] = [34, 92];
/** Codes of `,`, `[` and `{`. Each value except the outermost follows one of them, directly or after its property name. */
const BEFORE_VALUES: ReadonlySet<number> = new Set([44, 91, 123]);

/**
 * True if a JSON text has more than `max` values. Counts in the text, because parsing such a text would already block the event loop for too long.
 */
function hasMoreValues(text: string, max: number): boolean {
  let count = 1;
  let isInText = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isInText) {
      if (code === BACKSLASH) index++;
      else if (code === QUOTE) isInText = false;
    } else if (code === QUOTE) {
      isInText = true;
    } else if (BEFORE_VALUES.has(code) && ++count > max) {
      return true;
    }
  }
  return false;
}

function parse(text: string): unknown {
  const value = readJson(text);
  if (value === undefined) throw new Problem('INVALID_INPUT', 'The body: expected valid JSON.');
  return value;
}

/** Throws INVALID_INPUT for too deep nesting or a key `__proto__`. Iterative, so that nesting cannot overflow the stack. */
function checkShape(body: object): void {
  let level: readonly object[] = [body];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH)
      throw new Problem('INVALID_INPUT', `The body: expected at most ${MAX_DEPTH} levels of nesting.`);
    if (level.some((each) => Object.hasOwn(each, '__proto__'))) {
      throw new Problem('INVALID_INPUT', 'The body: expected no key named __proto__.');
    }
    level = level.flatMap((each) => Object.values(each)).filter((value) => typeof value === 'object' && value !== null);
  }
}

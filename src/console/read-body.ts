import { Problem } from '../operations/problem';

/** The largest body that is taken: 1 MiB. */
export const MAX_BODY_BYTES = 1_048_576;

/** The most values that are taken, nested ones included: what is done with a body takes time for each of them, and the loop waits meanwhile. */
const MAX_VALUES = 10_000;

/** The deepest nesting that is taken: no schedule comes near it, and checking what is nested deeper may overflow the stack. */
const MAX_DEPTH = 64;

/** The fields of a JSON body; none where it is empty. Throws NOT_JSON, TOO_LARGE or INVALID_INPUT. */
export async function readJsonBody(request: Request): Promise<Readonly<Record<string, unknown>>> {
  // A page of somebody else can send a form or a text without being asked, but not this type.
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') {
    throw new Problem('NOT_JSON', 'Expected Content-Type: application/json, also with an empty body.');
  }
  const text = await readText(request);
  if (text.trim() === '') return {};
  if (hasMoreValues(text, MAX_VALUES))
    throw new Problem('TOO_LARGE', `The body: expected at most ${MAX_VALUES} values, nested ones included.`);
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
    throw new Problem('INVALID_INPUT', 'The body: expected UTF-8.');
  }
}

const [QUOTE, BACKSLASH] = [34, 92];
/** `,`, `[` and `{`: before each value but the first stands one of them, or a colon behind a name. */
const BEFORE_VALUES: ReadonlySet<number> = new Set([44, 91, 123]);

/** Whether a JSON text has more values than that. Found in the text, because parsing it already takes time for each. */
function hasMoreValues(text: string, most: number): boolean {
  let count = 1;
  let isInText = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isInText) {
      if (code === BACKSLASH) index++;
      else if (code === QUOTE) isInText = false;
    } else if (code === QUOTE) {
      isInText = true;
    } else if (BEFORE_VALUES.has(code) && ++count > most) {
      return true;
    }
  }
  return false;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may hold a secret.
    throw new Problem('INVALID_INPUT', 'The body: expected JSON.');
  }
}

/** Refuses what is nested too deep, and keys that are no data. Without recursion. */
function checkShape(body: object): void {
  let level: readonly object[] = [body];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new Problem('INVALID_INPUT', `The body: expected at most ${MAX_DEPTH} levels.`);
    if (level.some((each) => Object.hasOwn(each, '__proto__'))) {
      throw new Problem('INVALID_INPUT', 'The body: expected no key named __proto__.');
    }
    level = level.flatMap((each) => Object.values(each)).filter((value) => typeof value === 'object' && value !== null);
  }
}

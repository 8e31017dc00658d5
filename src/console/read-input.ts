import { readJsonOrText } from '../base/read-json';
import { type FieldSchema, inputSchemaOf } from '../operations/input-schema';
import type { Operation } from '../operations/operation';
import { invalidField, Problem } from '../operations/problem';
import { readJsonBody } from './read-body';

/** Input field of the header `If-Match`. Its value is the `version` of an output, which is also its `ETag`. */
const VERSION = 'ifVersion';

/** Returns a function that reads an operation's input from a request. It validates no fields, but rejects misplaced ones with INVALID_INPUT. */
export function inputReader({ input, http }: Pick<Operation, 'input' | 'http'>) {
  const hasBody = http.method === 'POST' || http.method === 'PUT';

  return async (request: Request, path: Readonly<Record<string, string>>): Promise<Record<string, unknown>> => {
    // Read on the first request: a console starts faster without the schemas of all operations.
    const { fields: schemas } = inputSchemaOf(input);
    const query = queryOf(request.url);
    if (hasBody && query.size > 0)
      throw new Problem('INVALID_INPUT', `Expected no query: a ${http.method} request takes its fields in the body.`);
    if (!hasBody && bringsBody(request))
      throw new Problem('INVALID_INPUT', `Expected no body: a ${http.method} request takes its fields in the query.`);
    const given = hasBody
      ? Object.entries(await readJsonBody(request))
      : [...query].map(([name, texts]) => [name, readAs(schemas.get(name), texts)] as const);
    const fields = new Map<string, unknown>(given);
    for (const [name, text] of Object.entries(path)) setOnce(fields, name, readAs(schemas.get(name), [text]));
    const version = versionOf(request.headers.get('if-match'));
    if (version !== null && schemas.has(VERSION)) setOnce(fields, VERSION, version);
    return Object.fromEntries(fields);
  };
}

/** True if the request has a body. Operations without a body reject such a request instead of ignoring the body. */
function bringsBody({ headers }: Request): boolean {
  return headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0;
}

function queryOf(url: string): ReadonlyMap<string, readonly string[]> {
  const query = new Map<string, string[]>();
  for (const [name, value] of new URL(url).searchParams) query.set(name, [...(query.get(name) ?? []), value]);
  return query;
}

/** Sets a field from the path or `If-Match`. Throws INVALID_INPUT if body or query contains it too, because the values could differ. */
function setOnce(fields: Map<string, unknown>, name: string, value: unknown): void {
  if (fields.has(name)) {
    const message = name === VERSION ? 'expected in If-Match or as a field, found both.' : 'expected only in the path.';
    throw invalidField(name, message);
  }
  fields.set(name, value);
}

function versionOf(header: string | null): string | null {
  const text = header?.trim() ?? '*';
  return text === '*' ? null : text.replace(/^"(.*)"$/, '$1');
}

/** Returns the `ETag` of an output, or null if the output has no version. */
export function etagOf(output: unknown): string | null {
  const version = typeof output === 'object' && output !== null ? (output as { version?: unknown }).version : undefined;
  return typeof version === 'string' || typeof version === 'number' ? `"${version}"` : null;
}

/** Converts strings to the field's type: a number, boolean, null, list or object. Returns a string that matches none unchanged. */
function readAs(schema: FieldSchema | undefined, texts: readonly string[]): unknown {
  const items = schema && itemsOf(schema);
  if (items !== undefined) return texts.map((text) => readOne(items, text));
  const [text = ''] = texts;
  return texts.length === 1 ? readOne(schema, text) : texts;
}

function readOne(schema: FieldSchema | undefined, text: string): unknown {
  const types = typesOf(schema);
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (types.has('number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (types.has('null') && text === '' && !types.has('string')) return null;
  if (types.has('object')) return readJsonOrText(text);
  return text;
}

/** Returns the schema of the list items, or undefined if the field cannot be a list. */
function itemsOf(schema: FieldSchema): FieldSchema | undefined {
  if (schema.items !== undefined) return schema.items;
  return [...(schema.anyOf ?? []), ...(schema.allOf ?? [])].map(itemsOf).find((items) => items !== undefined);
}

function typesOf(schema: FieldSchema | undefined): ReadonlySet<string> {
  if (schema === undefined) return new Set();
  const own = schema.type === undefined ? [] : [schema.type].flat();
  const values = [...(schema.enum ?? []), ...('const' in schema ? [schema.const] : [])].map((value) =>
    value === null ? 'null' : typeof value,
  );
  const inner = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((each) => [...typesOf(each)]);
  return new Set([...own, ...values, ...inner].map((type) => (type === 'integer' ? 'number' : type)));
}

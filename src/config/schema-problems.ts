import { z } from 'zod';
import { expectedBy, KEY_SEPARATOR } from '../base/expected-by';
import { nearestName } from '../base/nearest-name';
import { isSecretName } from '../base/secrets';
import { type Problem, problemAt } from './problem';
import { type Path, quoted, type SourceDocument, valueAt } from './source-document';

type Issue = z.core.$ZodIssue;

/** Maximum number of problems to report. Locating each problem in the file takes time. */
const MAX_PROBLEMS = 1_000;

/** Result of `checkDocument`: the output of the schema, or all problems of the document. */
type Checked<Output> =
  | { readonly ok: true; readonly value: Output }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Checks a document, or the value at `path`, against a schema. Problems have a position and, for an unknown key, the most similar known one. */
export function checkDocument<Output>(
  document: SourceDocument,
  schema: z.ZodType<Output>,
  path: Path = [],
): Checked<Output> {
  const result = schema.safeParse(valueAt(document.data, path) ?? null, { error: expectedBy });
  if (result.success) return { ok: true, value: result.data };
  let keys: ReadonlyMap<string, string> | undefined;
  const allKeys = () => {
    keys ??= keysByLastPart(schema);
    return keys;
  };
  const context = { document, allKeys, path };
  const issues = result.error.issues;
  const problems = issues.slice(0, MAX_PROBLEMS).flatMap((issue) => problemsOf(issue, context));
  const further = (count: number) =>
    problemAt(document, { path, message: `and ${count} more problem${count === 1 ? '' : 's'}` });
  const left = Math.max(0, issues.length - MAX_PROBLEMS);
  return { ok: false, problems: left === 0 ? problems : [...problems, further(left)] };
}

/** Describes a value in a message: short, on one line, and without credentials in a URL. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a map of keys';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'string') return value === '' ? 'an empty string' : quoted(value);
  return String(value);
}

interface Context {
  readonly document: SourceDocument;
  /** Returns every key of the schema in dotted form, by its last part. */
  readonly allKeys: () => ReadonlyMap<string, string>;
  /** Path of the checked value. The paths of issues are relative to it. */
  readonly path: Path;
}

function problemsOf(issue: Issue, context: Context): readonly Problem[] {
  const path = [...context.path, ...(issue.path as Path)];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys
        .slice(0, MAX_PROBLEMS)
        .map((key) => unknownKey(context, [...path, key], issue.message.split(KEY_SEPARATOR)));
    case 'invalid_union':
      return unionProblems(issue, context, path);
    case 'invalid_key': {
      const expected = `the key to be ${issue.issues[0]?.message ?? 'a name'}`;
      return [problemAt(context.document, { path, at: 'key', expected, found: quoted(String(path.at(-1))) })];
    }
    default:
      return [wrongValue(context, path, issue)];
  }
}

function unknownKey({ document, allKeys }: Context, path: Path, known: readonly string[]): Problem {
  const key = String(path.at(-1));
  const keyElsewhere = () => allKeys().get(nearestName(key, allKeys().keys()) ?? '') ?? null;
  return problemAt(document, {
    path,
    at: 'key',
    expected: knownKeys(known),
    found: quoted(key),
    suggestion: nearestName(key, known) ?? keyElsewhere(),
  });
}

function knownKeys(known: readonly string[]): string {
  if (known.length === 1) return `the key ${quoted(known[0] as string)}`;
  return known.length <= 12 ? `one of the keys ${known.join(', ')}` : 'a known key';
}

/** Returns the dotted keys of a schema, by their last part. Used to suggest the full key if a key is in the wrong place. */
function keysByLastPart(schema: z.ZodType): ReadonlyMap<string, string> {
  const keys = dottedKeys(z.toJSONSchema(schema, { unrepresentable: 'any' }));
  return new Map(keys.map((key) => [key.split('.').at(-1) ?? key, key]));
}

/** Returns every key of a schema in dotted form, except keys in items of lists. `*` stands for any name. */
export function dottedKeys(schema: z.core.JSONSchema._JSONSchema): readonly string[] {
  if (typeof schema === 'boolean') return [];
  const { properties = {}, additionalProperties = false } = schema;
  const children = { ...properties, ...(additionalProperties === false ? {} : { '*': additionalProperties }) };
  const own = Object.entries(children).flatMap(([name, child]) => {
    const below = dottedKeys(child);
    return below.length > 0 ? below.map((key) => `${name}.${key}`) : name === '*' ? [] : [name];
  });
  return [...own, ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(dottedKeys)];
}

/** Returns the problems of the first alternative that accepts the value's type. If none does, returns one problem that lists all alternatives. */
function unionProblems(
  issue: Issue & { readonly code: 'invalid_union' },
  context: Context,
  path: Path,
): readonly Problem[] {
  const selected = issue.errors.find((issues) => issues.every((each) => !isOfOtherType(each)));
  if (selected !== undefined) return selected.flatMap((each) => problemsOf(each, { ...context, path }));
  const expected = issue.errors.flatMap((issues) => issues.filter(isOfOtherType).map(({ message }) => message));
  const message = expected.length > 0 ? [...new Set(expected)].join(' or ') : issue.message;
  return [wrongValue(context, path, { message })];
}

const OTHER_TYPE: readonly Issue['code'][] = ['invalid_type', 'invalid_value', 'invalid_format', 'invalid_union'];

function isOfOtherType(issue: Issue): boolean {
  return issue.path.length === 0 && OTHER_TYPE.includes(issue.code);
}

/**
 * Issue about an invalid value. `names` returns candidates for a suggestion, unless the message already lists the valid values. `found` describes
 * the invalid part of the value; `foundName` is a name, which is shown even if the value is secret. Default: the whole value.
 */
interface Wrong {
  readonly message: string;
  readonly params?:
    | { readonly names?: () => readonly string[]; readonly found?: string; readonly foundName?: string }
    | undefined;
}

function wrongValue({ document }: Context, path: Path, { message: expected, params }: Wrong): Problem {
  const value = valueAt(document.data, path);
  const shown = isSecret(document, path) ? 'another value (hidden)' : (params?.found ?? describeValue(value));
  const found = params?.foundName ?? shown;
  const names = params?.names?.() ?? /^one of (.*)$/.exec(expected)?.[1]?.split(', ') ?? [];
  const lastPart = typeof value === 'string' ? value.split('.').at(-1) : undefined;
  return problemAt(document, { path, expected, found, suggestion: nearestName(lastPart ?? '', names) });
}

function isSecret(document: SourceDocument, path: Path): boolean {
  if (valueAt(document.data, path) === undefined) return false;
  return path.some((part) => isSecretName(String(part))) || document.isSecret?.(path) === true;
}

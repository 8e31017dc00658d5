import type { z } from 'zod';
import { isSecretName } from '../base/secrets';
import { nearestName } from './nearest-name';
import { type Problem, problemAt } from './problem';
import { keysOf, knownKeysAt, metaOf, schemasAt } from './schema-walk';
import { type Path, quoted, type SourceDocument } from './source-document';

type Issue = z.core.$ZodIssue;

/** What `checkDocument` found: the schema's output, or the problems of the whole document. */
export type Checked<Output> =
  | { readonly ok: true; readonly value: Output }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Checks a document against a schema and places every problem in its text, unknown keys with the nearest known one. */
export function checkDocument<Output>(document: SourceDocument, schema: z.ZodType<Output>): Checked<Output> {
  const result = schema.safeParse(document.data);
  if (result.success) return { ok: true, value: result.data };
  return {
    ok: false,
    problems: result.error.issues.flatMap((issue) => problemsOf(issue, { document, schema, path: [] })),
  };
}

/** A value as it may be shown in a message: short, on one line, without the credentials of a URL. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a map of keys';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'string') return value === '' ? 'an empty text' : quoted(value);
  return String(value);
}

interface Context {
  readonly document: SourceDocument;
  readonly schema: z.ZodType;
  /** Where the issue's own path begins. */
  readonly path: Path;
}

function problemsOf(issue: Issue, context: Context): readonly Problem[] {
  const path = [...context.path, ...(issue.path as Path)];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(context, path, key));
  if (issue.code === 'invalid_union') return unionProblems(issue, context, path);
  if (issue.code === 'invalid_key') return [invalidKey(issue, context, path)];
  return [wrongValue(context, path, expectedBy(issue))];
}

function unknownKey({ document, schema }: Context, path: Path, key: string): Problem {
  const known = knownKeysAt(schema, path, valueAt(document, path));
  return problemAt(document, {
    path: [...path, key],
    at: 'key',
    expected: known.length > 0 && known.length <= 12 ? `one of the keys ${known.join(', ')}` : 'a known key',
    found: quoted(key),
    suggestion: nearestName(key, known) ?? sameKeyElsewhere(schema, key),
  });
}

/** The whole key, when its last part was written where it does not belong. */
function sameKeyElsewhere(schema: z.ZodType, key: string): string | null {
  const named = keysOf(schema).filter(([full]) => !full.endsWith('*'));
  const elsewhere = new Map(named.map(([full]) => [full.split('.').at(-1) ?? full, full]));
  return elsewhere.get(nearestName(key, elsewhere.keys()) ?? '') ?? null;
}

function invalidKey(issue: Issue & { readonly code: 'invalid_key' }, { document }: Context, path: Path): Problem {
  const [first] = issue.issues as readonly Issue[];
  const expected = `as key ${first === undefined ? 'a name' : expectedBy(first)}`;
  return problemAt(document, { path, at: 'key', expected, found: quoted(String(path.at(-1))) });
}

/** Of a union, the problems of the alternative that was meant: the one that got furthest into the value. */
function unionProblems(
  issue: Issue & { readonly code: 'invalid_union' },
  context: Context,
  path: Path,
): readonly Problem[] {
  if (issue.errors.length === 0) return [wrongValue(context, path, expectedBy(issue))];
  const meant = issue.errors.find((issues) => issues.every((each) => !isAboutWhole(each)));
  if (meant !== undefined) return meant.flatMap((each) => problemsOf(each, { ...context, path }));
  const expected = issue.errors.flatMap((issues) => issues.filter(isAboutWhole).map(expectedBy));
  return [wrongValue(context, path, [...new Set(expected)].join(' or '))];
}

function isAboutWhole(issue: Issue): boolean {
  return issue.path.length === 0 && issue.code !== 'unrecognized_keys';
}

function wrongValue({ document, schema }: Context, path: Path, expectedByIssue: string): Problem {
  const metas = schemasAt(schema, path).map(metaOf);
  const meta = metas.length === 1 ? metas[0] : undefined;
  const expected = meta?.expected ?? expectedByIssue;
  const value = valueAt(document, path);
  const found = isSecret(document, path) ? 'another value (hidden)' : describeValue(value);
  const names = meta?.names?.() ?? /^one of (.*)$/.exec(expected)?.[1]?.split(', ') ?? [];
  const lastPart = typeof value === 'string' ? value.split('.').at(-1) : undefined;
  return problemAt(document, { path, expected, found, suggestion: nearestName(lastPart ?? '', names) });
}

function isSecret(document: SourceDocument, path: Path): boolean {
  if (valueAt(document, path) === undefined) return false;
  return path.some((part) => isSecretName(String(part))) || document.isSecret?.(path) === true;
}

function valueAt(document: SourceDocument, path: Path): unknown {
  let value: unknown = document.data;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<string | number, unknown>)[segment];
  }
  return value;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a map of keys',
  record: 'a map of keys',
  array: 'a list',
  null: 'nothing',
};

function expectedBy(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_WORDS[issue.expected] ?? `a value of type ${issue.expected}`;
    case 'invalid_value':
      return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return bound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return bound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return discriminatorsOf(issue);
    default:
      return issue.message;
  }
}

/** zod names the discriminators it knows, but its types do not say so. */
function discriminatorsOf(issue: Issue & { readonly options?: readonly unknown[] }): string {
  return issue.options === undefined ? 'another value' : `one of ${issue.options.map(String).join(', ')}`;
}

function bound(origin: string, comparison: string, limit: number | bigint): string {
  switch (origin) {
    case 'string':
      return limit === 1 && comparison === 'at least'
        ? 'a text that is not empty'
        : `a text of ${comparison} ${limit} characters`;
    case 'array':
      return `a list of ${comparison} ${limit} values`;
    default:
      return `a number of ${comparison} ${limit}`;
  }
}

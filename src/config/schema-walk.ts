import { z } from 'zod';
import type { Path } from './source-document';

/** What a schema's `.meta()` may say for messages and for the generated documents. */
export interface SchemaMeta {
  /** The words after "expected" in a message, in place of zod's. */
  readonly expected?: string;
  /** Never shown: passwords and the like. */
  readonly secret?: boolean;
  readonly description?: string;
}

/** The schema as written, inside `.optional()`, `.default()`, `.transform()` and the like. */
export function unwrapSchema(schema: z.ZodType): z.ZodType {
  let inner: z.ZodType = schema;
  for (;;) {
    if (inner instanceof z.ZodPipe) inner = inner.def.in as z.ZodType;
    else if (inner instanceof z.ZodLazy) inner = inner.def.getter() as z.ZodType;
    else if (isWrapper(inner)) inner = inner.def.innerType as z.ZodType;
    else return inner;
  }
}

/** What `.meta()` says of a schema, whichever of its wrappers carries it. */
export function metaOf(schema: z.ZodType): SchemaMeta {
  let inner: z.ZodType = schema;
  for (;;) {
    const meta = inner.meta() as SchemaMeta | undefined;
    if (meta !== undefined) return meta;
    if (inner instanceof z.ZodPipe) inner = inner.def.in as z.ZodType;
    else if (isWrapper(inner)) inner = inner.def.innerType as z.ZodType;
    else return {};
  }
}

/** Every schema that may stand at `path`: several where unions leave the choice open, none where the path leads out. */
export function schemasAt(schema: z.ZodType, path: Path): readonly z.ZodType[] {
  let level = alternatives(schema);
  for (const segment of path) level = level.flatMap((each) => childSchemas(each, segment)).flatMap(alternatives);
  return level;
}

/** The keys a map at `path` may have. */
export function knownKeysAt(schema: z.ZodType, path: Path): readonly string[] {
  const objects = schemasAt(schema, path).map(unwrapSchema);
  return [...new Set(objects.flatMap((each) => (each instanceof z.ZodObject ? Object.keys(each.shape) : [])))];
}

type Wrapper = z.ZodOptional | z.ZodDefault | z.ZodPrefault | z.ZodNullable | z.ZodReadonly | z.ZodCatch;

function isWrapper(schema: z.ZodType): schema is Wrapper {
  return (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodCatch
  );
}

function alternatives(schema: z.ZodType): readonly z.ZodType[] {
  const inner = unwrapSchema(schema);
  return inner instanceof z.ZodUnion ? inner.def.options.flatMap((each) => alternatives(each as z.ZodType)) : [schema];
}

function childSchemas(schema: z.ZodType, segment: string | number): readonly z.ZodType[] {
  const inner = unwrapSchema(schema);
  if (inner instanceof z.ZodArray) return [inner.element as z.ZodType];
  if (inner instanceof z.ZodRecord) return [inner.valueType as z.ZodType];
  if (!(inner instanceof z.ZodObject)) return [];
  const child: z.ZodType | undefined = Object.hasOwn(inner.shape, segment) ? inner.shape[segment] : inner.def.catchall;
  return child === undefined ? [] : [child];
}

import { z } from 'zod';
import type { Path } from './source-document';

/** What a schema's `.meta()` may say for messages and for the generated documents. */
export interface SchemaMeta {
  /** The words after "expected" in a message, in place of zod's. */
  readonly expected?: string;
  /** Names to suggest from when the value is wrong. */
  readonly names?: () => readonly string[];
  /** A setting of Quartz's that cannot be switched off here. */
  readonly alwaysOn?: boolean;
  /** Means something only for a store in a database. */
  readonly sql?: boolean;
  /** One sentence of documentation. */
  readonly description?: string;
}

/** The schema as written, inside `.optional()`, `.default()`, `.transform()` and the like. */
export function unwrapSchema(schema: z.ZodType): z.ZodType {
  let inner: z.ZodType = schema;
  for (;;) {
    if (inner instanceof z.ZodPipe) inner = shownSide(inner);
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
    if (inner instanceof z.ZodPipe) inner = shownSide(inner);
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

/** The keys that the map `value` at `path` may have; of a union, those of the alternative its fixed values select. */
export function knownKeysAt(schema: z.ZodType, path: Path, value: unknown): readonly string[] {
  const objects = schemasAt(schema, path)
    .map(unwrapSchema)
    .filter((each) => each instanceof z.ZodObject);
  const selected = objects.filter((each) => isSelected(each, value));
  const shapes = (selected.length > 0 ? selected : objects).map((each) => Object.keys(each.shape));
  return [...new Set(shapes.flat())];
}

function isSelected(object: z.ZodObject, value: unknown): boolean {
  return Object.entries(object.shape).every(([key, child]) => {
    const inner = unwrapSchema(child as z.ZodType);
    return (
      !(inner instanceof z.ZodLiteral) || inner.values.has((value as Record<string, never> | null)?.[key] as never)
    );
  });
}

/** Every key of a schema with the schema of its value, dotted; `*` stands for a name that is free. Lists are not entered. */
export function keysOf(schema: z.ZodType, prefix = ''): readonly (readonly [string, z.ZodType])[] {
  const maps = alternatives(schema).map(unwrapSchema).filter(isMap);
  if (maps.length === 0) return [[prefix.slice(0, -1), schema]];
  return maps.flatMap((map) => {
    if (map instanceof z.ZodRecord) return keysOf(map.valueType as z.ZodType, `${prefix}*.`);
    return Object.entries(map.shape).flatMap(([key, value]) => keysOf(value as z.ZodType, `${prefix}${key}.`));
  });
}

function isMap(schema: z.ZodType): schema is z.ZodObject | z.ZodRecord {
  return schema instanceof z.ZodObject || schema instanceof z.ZodRecord;
}

/** Of a pipe, the side with the type: `z.preprocess` begins with a function, `.transform` ends with one. */
function shownSide(pipe: z.ZodPipe): z.ZodType {
  return (pipe.def.in instanceof z.ZodTransform ? pipe.def.out : pipe.def.in) as z.ZodType;
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

import { z } from 'zod';

/** `.meta()` of a schema, for the generated documents. */
export interface SchemaMeta {
  /** Form of a value, if the type does not show it. */
  readonly expected?: string;
  /** Name of its type in programs, if it differs from the schema. A map with such a name counts as one value, and not as several keys. */
  readonly typescript?: string;
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

/** `.meta()` and `.describe()` of a schema or its wrappers; the outermost has precedence. */
export function metaOf(schema: z.ZodType): SchemaMeta {
  const own = schema.meta() as SchemaMeta | undefined;
  if (schema instanceof z.ZodPipe) return { ...metaOf(shownSide(schema)), ...own };
  if (isWrapper(schema)) return { ...metaOf(schema.def.innerType as z.ZodType), ...own };
  return { ...own };
}

/** Default value as it would be written; undefined if there is none. */
export function defaultOf(schema: z.ZodType): unknown {
  const hasOne = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return hasOne ? schema.def.defaultValue : undefined;
}

/** Every dotted key of a schema with the schema of its value. `*` is any name. Lists have no keys. */
export function keysOf(schema: z.ZodType, prefix = ''): readonly (readonly [string, z.ZodType])[] {
  const maps = alternatives(schema).map(unwrapSchema).filter(isMap);
  if (maps.length === 0 || metaOf(schema).typescript !== undefined) return [[prefix.slice(0, -1), schema]];
  return maps.flatMap((map) => {
    if (map instanceof z.ZodRecord) return keysOf(map.valueType as z.ZodType, `${prefix}*.`);
    return Object.entries(map.shape).flatMap(([key, value]) => keysOf(value as z.ZodType, `${prefix}${key}.`));
  });
}

function isMap(schema: z.ZodType): schema is z.ZodObject | z.ZodRecord {
  return schema instanceof z.ZodObject || schema instanceof z.ZodRecord;
}

/** The side of a pipe with the type: `z.preprocess` begins with a function, and `.transform` ends with one. */
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

import { z } from 'zod';
import { configSchema } from '../../src/config/config-schema';
import {
  IGNORED_KEYS,
  INSTANCE_ID_GENERATORS,
  JOB_FACTORIES,
  JOB_STORES,
  PLUGINS,
  THREAD_POOLS,
} from '../../src/config/quartz-names';
import {
  calendarSchema,
  commandsSchema,
  directivesSchema,
  editPolicySchema,
  inlineTriggerSchema,
  jobSchema,
  pruneSchema,
  type scheduleFileSchema,
  setSchema,
  topTriggerSchema,
  zoneSchema,
} from '../../src/definitions/schedule-file-schema';
import { defaultOf, keysOf, metaOf, unwrapSchema } from './schema-walk';

type JsonSchema = { readonly [key: string]: unknown };

const DRAFT = 'http://json-schema.org/draft-07/schema#';
/** A value from the environment or of another key. */
const REFERENCE = '[$][{@]';
const CLASSES = [JOB_STORES, THREAD_POOLS, INSTANCE_ID_GENERATORS, JOB_FACTORIES, PLUGINS];

/** Generates schemas/configuration.schema.json from config-schema.ts, for editors. Dotted keys are allowed at the top. */
export function configurationSchema(): JsonSchema {
  const sections = ofObject(configSchema);
  const dotted = keysOf(configSchema).filter(([key]) => !key.includes('*'));
  const properties = Object.fromEntries(dotted.map(([key, schema]) => [key, ofValue(schema)]));
  const nested = { ...(sections.properties as object), ...properties };
  const prefixed = Object.fromEntries(Object.entries(nested).map(([key, schema]) => [`org.quartz.${key}`, schema]));
  return {
    $schema: DRAFT,
    title: 'Configuration of quartz-ts',
    type: 'object',
    properties: {
      ...nested,
      ...prefixed,
      org: { type: 'object', properties: { quartz: { ...sections, properties: nested } }, additionalProperties: false },
    },
    patternProperties: {
      '^(org[.]quartz[.])?(dataSource|plugin|context[.]key|console[.](tokens|users))[.].+$': {},
      ...Object.fromEntries(Object.entries(IGNORED_KEYS).map(([key, reason]) => [patternOf(key), ignored(reason)])),
    },
    additionalProperties: false,
  };
}

const ignored = (reason: string) => ({ description: `Has no effect: ${reason}.`, deprecated: true });

const patternOf = (key: string) =>
  `^(org[.]quartz[.])?${key
    .split('.')
    .map((part) => (part === '*' ? '.+' : part))
    .join('[.]')}$`;

function ofValue(schema: z.ZodType): JsonSchema {
  const { description } = metaOf(schema);
  const inner = unwrapSchema(schema);
  const value = inner instanceof z.ZodObject ? undefined : defaultOf(schema);
  const byDefault = value === undefined ? {} : { default: value };
  return { ...ofType(inner), ...(description === undefined ? {} : { description }), ...byDefault };
}

function ofType(inner: z.ZodType): JsonSchema {
  if (inner instanceof z.ZodObject) return ofObject(inner);
  if (inner instanceof z.ZodRecord) {
    return { type: 'object', additionalProperties: ofValue(inner.valueType as z.ZodType) };
  }
  if (inner instanceof z.ZodUnion) return { anyOf: inner.def.options.map((each) => ofValue(each as z.ZodType)) };
  if (inner instanceof z.ZodNumber) {
    const number = { type: inner.isInt ? 'integer' : 'number', minimum: inner.minValue, maximum: inner.maxValue };
    return { anyOf: [number, { type: 'string', pattern: `^[+-]?\\d{1,15}$|${REFERENCE}` }] };
  }
  if (inner instanceof z.ZodBoolean) {
    return {
      anyOf: [{ type: 'boolean' }, { type: 'string', pattern: `^([Tt]rue|[Ff]alse|TRUE|FALSE)$|${REFERENCE}` }],
    };
  }
  if (inner instanceof z.ZodArray && !(inner.element instanceof z.ZodString)) {
    return { type: 'array', items: ofValue(inner.element as z.ZodType) };
  }
  if (inner instanceof z.ZodArray) return { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };
  if (inner instanceof z.ZodLiteral) return ofNames([...inner.values] as string[]);
  if (inner instanceof z.ZodEnum) return ofNames(inner.options as string[]);
  const [form] = inner instanceof z.ZodString ? (inner._zod.bag.patterns ?? []) : [];
  if (form !== undefined) return { type: 'string', pattern: `${form.source}|${REFERENCE}` };
  return { type: ['string', 'number', 'boolean'] };
}

/** Names, and the corresponding Java classes with or without their package. */
function ofNames(names: readonly string[]): JsonSchema {
  const aliases = CLASSES.flatMap((table) => Object.entries<readonly string[]>(table))
    .filter(([name]) => names.includes(name))
    .flatMap(([, others]) => others);
  const java = aliases.length === 0 ? '' : `^([a-zA-Z_]\\w*[.])*(${aliases.join('|')})$|`;
  return { anyOf: [{ enum: names }, { type: 'string', pattern: `${java}${REFERENCE}` }] };
}

/** A section, whose subsections may be written with dots. */
function ofObject(schema: z.ZodType): JsonSchema {
  const { shape } = unwrapSchema(schema) as z.ZodObject;
  const own = Object.entries(shape).map(([key, child]) => [key, ofValue(child as z.ZodType)] as const);
  const deeper = keysOf(schema).filter(([key]) => key.includes('.') && !key.includes('*'));
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(own),
      ...Object.fromEntries(deeper.map(([key, each]) => [key, ofValue(each)])),
    },
    patternProperties: { '^(rmi|jmx|classLoadHelper)': { deprecated: true } },
    additionalProperties: false,
  };
}

/** Generates schemas/schedule-file.schema.json. */
export function scheduleFileJsonSchema(): JsonSchema {
  const list = (items: JsonSchema) => ({ type: 'array', items });
  const trigger = toJson(inlineTriggerSchema);
  const job = toJson(jobSchema);
  const sections: Readonly<Record<keyof typeof scheduleFileSchema.shape, JsonSchema>> = {
    timeZone: toJson(zoneSchema),
    set: toJson(setSchema),
    prune: toJson(pruneSchema),
    renamedFrom: toJson(setSchema),
    onDeclaredEdit: toJson(editPolicySchema),
    directives: toJson(directivesSchema),
    commands: toJson(commandsSchema),
    calendars: { type: 'object', additionalProperties: toJson(calendarSchema) },
    jobs: list({ ...job, properties: { ...(job.properties as object), triggers: list(trigger) } }),
    triggers: list(toJson(topTriggerSchema)),
  };
  return {
    $schema: DRAFT,
    title: 'A schedule file of quartz-ts',
    type: 'object',
    properties: sections,
    additionalProperties: false,
  };
}

function toJson(schema: z.ZodType): JsonSchema {
  const json = z.toJSONSchema(schema, { target: 'draft-07', io: 'input', unrepresentable: 'any' });
  return JSON.parse(JSON.stringify(json), (_, value) => (isPlainObject(value) ? forEditors(value) : value));
}

const isPlainObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Removes keywords that editors ignore, and adds the expected form to each description. A map of properties may have any names. */
function forEditors(schema: JsonSchema): JsonSchema {
  const { $schema: _, typescript: __, expected, description, ...others } = schema;
  if (typeof description === 'object') return schema;
  const text = [description, expected].filter((each) => each !== undefined).join(' Expected: ');
  return { ...(text === '' ? {} : { description: text }), ...others };
}

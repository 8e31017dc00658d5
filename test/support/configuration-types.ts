import { z } from 'zod';
import { configSchema } from '../../src/config/config-schema';
import {
  INSTANCE_ID_GENERATORS,
  JOB_FACTORIES,
  JOB_STORES,
  PLUGINS,
  THREAD_POOLS,
} from '../../src/config/quartz-names';
import { defaultOf, metaOf, unwrapSchema } from './schema-walk';

/** Generates the module src/config/configuration.ts from the schema: its types for TypeScript programs, with its documentation. */
export function configurationTypes(): string {
  const sections = Object.entries(configSchema.shape)
    .filter(([name]) => !['dataSource', 'plugin', 'context', 'database'].includes(name))
    .map(([name, schema]) => interfaceOf(name, schema));
  const dataSource = (unwrapSchema(configSchema.shape.dataSource) as z.ZodRecord).valueType as z.ZodType;
  const { plugin } = configSchema.shape;
  const plugins = (unwrapSchema((unwrapSchema(plugin) as z.ZodRecord).valueType as z.ZodType) as z.ZodUnion).def
    .options;
  const kinds = plugins.map((each) => `  | ${bodyOf(each as z.ZodType, '    ', ['plugin', '*'])}`);
  return [
    INTRODUCTION,
    ...sections,
    `/** A database. */\nexport interface DataSourceConfiguration ${bodyOf(dataSource, '', ['dataSource', '*'])}\n`,
    `/** A plugin and its settings; \`class\` says which. */\nexport type PluginConfiguration =\n${kinds.join('\n')};\n`,
    WHOLE.replace('/* database */', documented(configSchema.shape.database, '  ')),
  ].join('\n');
}

const INTRODUCTION = `/*
 * Generated from src/config/config-schema.ts; a test compares. Write it anew: UPDATE_BASELINE=1 npx jest test/docs/configuration.test.ts
 */
import type { DurationLike, RetryOptions } from '../domain/retry-policy';

/** A value from somewhere else: \`\${NAME:-default}\` is an environment variable, \`$@other.key\` another value. */
export type Reference = \`$\${string}\`;

/** Our names, and those of Java classes that mean the same, with or without their package. */
type ClassName<Names extends string, Java extends string> = Names | Java | \`org.quartz.\${string}.\${Java}\`;
`;

const WHOLE = `/** The sections, nested; \`org.quartz\` around them may be left out. */
export interface NestedConfiguration {
/* database */  readonly database?: string;
  /** This scheduler. */
  readonly scheduler?: SchedulerSection;
  /** How many jobs run at once. */
  readonly threadPool?: ThreadPoolSection;
  /** Where jobs and triggers are kept. */
  readonly jobStore?: JobStoreSection;
  /** Databases, by the name that \`jobStore.dataSource\` gives. */
  readonly dataSource?: Readonly<Record<string, DataSourceConfiguration>>;
  /** \`key\`: values that jobs and listeners find, as text, in the scheduler's context. */
  readonly context?: { readonly key?: Readonly<Record<string, string | number | boolean>> };
  /** From when on runs are told of. */
  readonly alerts?: AlertsSection;
  /** How the scheduler is shown over HTTP, and to whom. */
  readonly console?: ConsoleSection;
  /** Plugins, by any name. */
  readonly plugin?: Readonly<Record<string, PluginConfiguration>>;
}

/** A configuration in code. Dotted keys such as \`threadPool.threadCount\` are for files. */
export type Configuration = NestedConfiguration & {
  /** \`org.quartz\` around the sections. */
  readonly org?: { readonly quartz?: NestedConfiguration };
};
`;

const ALIASES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'jobStore.class': JOB_STORES,
  'threadPool.class': THREAD_POOLS,
  'scheduler.instanceIdGenerator.class': INSTANCE_ID_GENERATORS,
  'scheduler.jobFactory.class': JOB_FACTORIES,
  'plugin.*.class': PLUGINS,
};

const sectionName = (name: string) => `${name.replace(/^./, (first) => first.toUpperCase())}Section`;

const interfaceOf = (name: string, schema: z.ZodType) =>
  `/** \`${name}\` */\nexport interface ${sectionName(name)} ${bodyOf(schema, '', [name])}\n`;

function bodyOf(schema: z.ZodType, indent: string, path: readonly string[]): string {
  const { shape } = unwrapSchema(schema) as z.ZodObject;
  const lines = Object.entries(shape).map(([key, child]) => {
    const inner = unwrapSchema(child as z.ZodType);
    const at = [...path, key];
    const type =
      inner instanceof z.ZodObject ? bodyOf(inner, `${indent}  `, at) : typeOf(child as z.ZodType, at.join('.'));
    const isOptional = (child as z.ZodType).safeParse(undefined).success;
    return `${documented(child as z.ZodType, `${indent}  `)}${indent}  readonly ${key}${isOptional ? '?' : ''}: ${type};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

function documented(schema: z.ZodType, indent: string): string {
  const { description } = metaOf(schema);
  if (description === undefined) return '';
  const inner = unwrapSchema(schema);
  const bounds = inner instanceof z.ZodNumber ? ` ${inner.minValue} to ${inner.maxValue}.` : '';
  // A map is empty unless it is given: as for sections, there is nothing to say.
  const isMap = inner instanceof z.ZodObject || typeof defaultOf(schema) === 'object';
  const value = isMap ? undefined : defaultOf(schema);
  const shown = value === '' ? 'empty' : `\`${String(value)}\``;
  const byDefault = value === undefined ? '' : ` Default: ${shown}.`;
  return `${indent}/** ${description}${bounds}${byDefault} */\n`;
}

function typeOf(schema: z.ZodType, key: string): string {
  const { typescript } = metaOf(schema);
  if (typescript !== undefined) return `${typescript} | Reference`;
  const inner = unwrapSchema(schema);
  if (inner instanceof z.ZodNumber) return `number | \`\${number}\` | Reference`;
  if (inner instanceof z.ZodBoolean) return "boolean | 'true' | 'false' | Reference";
  if (inner instanceof z.ZodArray) return 'string | readonly string[]';
  if (inner instanceof z.ZodLiteral) return classNames([...inner.values] as string[], PLUGINS);
  if (inner instanceof z.ZodEnum) {
    return `${classNames(inner.options as string[], ALIASES[key] ?? {})} | Reference`;
  }
  return inner instanceof z.ZodString && inner.maxLength !== null ? 'string | number' : 'string';
}

function classNames(values: readonly string[], aliases: Readonly<Record<string, readonly string[]>>): string {
  const others = values.flatMap((value) => aliases[value] ?? []);
  const literals = (names: readonly string[]) => names.map((name) => `'${name}'`).join(' | ');
  const java = others.filter((name) => /^[A-Z]/.test(name));
  if (java.length === 0) return literals([...values, ...others]);
  return `ClassName<${literals([...values, ...others.filter((name) => !java.includes(name))])}, ${literals(java)}>`;
}

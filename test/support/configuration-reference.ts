import { z } from 'zod';
import { configSchema } from '../../src/config/config-schema';
import { ALWAYS_ON_KEYS } from '../../src/config/job-store-section';
import { pluginSchema } from '../../src/config/plugin-section';
import {
  IGNORED_KEYS,
  INSTANCE_ID_GENERATORS,
  JOB_FACTORIES,
  JOB_STORES,
  PLUGINS,
  THREAD_POOLS,
} from '../../src/config/quartz-names';
import { defaultOf, keysOf, metaOf, unwrapSchema } from './schema-walk';

type Key = readonly [string, z.ZodType];

/** Generates the page docs/reference/configuration.md from the schema. */
export function configurationReference(): string {
  const { plugin: _, ...sections } = configSchema.shape;
  const parts = Object.entries(sections).flatMap(([name, schema]) => [
    `## ${name}\n`,
    table(keysOf(schema, `${name}.`).filter(([key]) => !isAlwaysOn(key))),
  ]);
  return [INTRODUCTION, ...parts, ...plugins(), ...aliases(), ...always(), ...ignored()].join('\n');
}

const isAlwaysOn = (key: string) => Object.hasOwn(ALWAYS_ON_KEYS, key.replace('jobStore.', ''));

const INTRODUCTION = `<!-- Generated from src/config/config-schema.ts; a test compares. Write it anew: UPDATE_BASELINE=1 npx jest test/docs/configuration.test.ts -->

# Configuration

\`createScheduler('quartz.yaml', …)\`, \`createScheduler({ … })\` and \`quartz run --config quartz.yaml\` read the same keys,
which are Quartz's own. Without a configuration every key has its default.

\`\`\`yaml
org.quartz.threadPool.threadCount: 10 # dotted, as in a .properties file …
jobStore: # … or nested; \`org.quartz.\` in front may be left out
  misfireThreshold: 60000
scheduler:
  instanceName: \${APP_NAME:-reports} # from the environment, with a default
plugin:
  schedule:
    class: scheduleFile
    fileNames: [schedule.yaml, holidays.yaml]
\`\`\`

- **Files** end in \`.yaml\`, \`.yml\`, \`.json\` or \`.properties\` (Java's format, in UTF-8 or Latin-1), and have at most 4 MiB. YAML is
  YAML 1.2: \`yes\`, \`no\` and dates are texts, \`010\` is ten, and there are no merge keys.
- **\`\${NAME}\`** is the environment variable; **\`\${NAME:-default}\`** has a default for one that is missing or empty; \`$\${\` is the
  text itself; between \`{ }\` put the value in quotes. **\`$@other.key\`** is the value of another key.
- **Durations** are milliseconds, except where the text says otherwise. Numbers and \`true\`/\`false\` may be written as text.
- **Problems** are all reported together, each with file, line and column, what was expected, and the nearest known key. Values of
  keys named like passwords are never shown.
- \`quartz validate quartz.yaml\` checks a file without running it.
`;

function table(keys: readonly Key[]): string {
  const rows = keys.map(([key, schema]) => {
    const { description = '' } = metaOf(schema);
    return `| \`${key.replaceAll('*', '<name>')}\` | ${typeText(schema)} | ${defaultText(schema)} | ${description} |`;
  });
  return ['| key | value | default | meaning |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function plugins(): readonly string[] {
  const heading =
    '## plugin\n\n`plugin.<name>.class` says which plugin; the name is free. Other plugins are given in code.\n';
  const each = pluginSchema.def.options.flatMap((option) => {
    const kind = option as z.ZodObject;
    const [name] = (unwrapSchema(kind.shape.class as z.ZodType) as z.ZodLiteral).values;
    const settings = keysOf(kind, 'plugin.<name>.').filter(([key]) => !key.endsWith('.class'));
    return [`### ${name}\n\n${metaOf(kind.shape.class as z.ZodType).description}\n`, table(settings)];
  });
  return [heading, ...each];
}

function aliases(): readonly string[] {
  const tables = {
    'jobStore.class': JOB_STORES,
    'threadPool.class': THREAD_POOLS,
    'scheduler.instanceIdGenerator.class': INSTANCE_ID_GENERATORS,
    'scheduler.jobFactory.class': JOB_FACTORIES,
    'plugin.<name>.class': PLUGINS,
  };
  const rows = Object.entries(tables).flatMap(([key, names]) =>
    Object.entries<readonly string[]>(names)
      .filter(([, old]) => old.length > 0)
      .map(([name, old]) => `| \`${key}\` | \`${name}\` | ${old.map((each) => `\`${each}\``).join(', ')} |`),
  );
  const text = 'Java class names (with or without their package) and older words are understood.\n';
  return ['## Names that mean the same\n', text, '| key | here | also |', '|---|---|---|', ...rows, ''];
}

function always(): readonly string[] {
  const keys = keysOf(configSchema.shape.jobStore, 'jobStore.').filter(([key]) => isAlwaysOn(key));
  const rows = keys.map(([key, schema]) => `| \`${key}\` | ${metaOf(schema).description} |`);
  return ['## Always true\n', '`false` is accepted with a warning.\n', '| key | meaning |', '|---|---|', ...rows, ''];
}

function ignored(): readonly string[] {
  const rows = Object.entries(IGNORED_KEYS).map(([key, reason]) => `| \`${key}\` | ${reason} |`);
  const text = 'One warning names those that are set. Any other unknown key is an error.\n';
  return ['## Known, without effect here\n', text, '| key | why |', '|---|---|', ...rows, ''];
}

function typeText(schema: z.ZodType): string {
  const { expected } = metaOf(schema);
  if (expected !== undefined) return expected;
  const inner = unwrapSchema(schema);
  if (inner instanceof z.ZodNumber)
    return `whole number, ${inner.minValue?.toLocaleString('en')} to ${inner.maxValue?.toLocaleString('en')}`;
  if (inner instanceof z.ZodBoolean) return 'true or false';
  if (inner instanceof z.ZodEnum) return inner.options.map((each) => `\`${each}\``).join(', ');
  if (inner instanceof z.ZodString)
    return inner.maxLength === null ? 'text' : `text, at most ${inner.maxLength.toLocaleString('en')} characters`;
  if (inner instanceof z.ZodArray) return 'a list of texts, or one text with commas';
  return 'text, number or boolean';
}

function defaultText(schema: z.ZodType): string {
  const value = defaultOf(schema);
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return '–';
  if (value !== undefined) return `\`${typeof value === 'object' ? JSON.stringify(value) : String(value)}\``;
  return schema instanceof z.ZodOptional || unwrapSchema(schema) instanceof z.ZodUnion ? '–' : 'required';
}

import type { Configuration } from '../../../../src';
import { loadConfig } from '../../../../src/config/load-config';
import type { Proof, Proofs } from '../support/proof';
import { pageOf, type Table, tablesOf } from '../support/read-reference';
import { codeOf, newFile, open } from '../support/world';

const tables = tablesOf(pageOf('configuration'));

const tableUnder = (heading: string): Table => {
  const found = tables.find((table) => table.heading === heading);
  if (found === undefined) throw new Error(`docs/reference/configuration.md has no table under '${heading}'.`);
  return found;
};

const plain = (cell: string) => cell.replaceAll('`', '');

async function warningsWith(config: Configuration): Promise<readonly string[]> {
  const world = await open(config);
  return world.heard('configurationWarning').map(({ message }) => message);
}

/** What a class needs besides its name. */
const COMPANIONS: Readonly<Record<string, object>> = {
  'jobStore.class mysql': {
    scheduler: { instanceId: 'n' },
    jobStore: { dataSource: 'd' },
    dataSource: { d: { URL: 'mysql://127.0.0.1:1/q' } },
  },
  'jobStore.class sql': {
    scheduler: { instanceId: 'n' },
    jobStore: { dataSource: 'd' },
    dataSource: { d: { URL: 'sqlite:quartz.db' } },
  },
  'scheduler.instanceIdGenerator.class simple': { scheduler: { instanceId: 'n' } },
  'scheduler.instanceIdGenerator.class hostname': { scheduler: { instanceId: 'AUTO' } },
  'scheduler.instanceIdGenerator.class environment': { scheduler: { instanceId: 'AUTO' } },
  'plugin.<name>.class scheduleFile': { plugin: { p: { fileNames: 'a.yaml' } } },
};

const ENVIRONMENT = { ORG_QUARTZ_SCHEDULER_INSTANCEID: 'pod' };

/** The old name, with or without a package of Java's, is read as ours: the same scheduler comes of it. */
function sameAs(key: string, ours: string, name: string): Proof {
  const written = key.replace('<name>', 'p');
  const readAs = async (value: string) =>
    (await loadConfig({ ...(COMPANIONS[`${key} ${ours}`] ?? {}), [written]: value }, ENVIRONMENT)).config;
  return async () => {
    const expected = await readAs(ours);
    expect(await readAs(name)).toEqual(expected);
    expect(await readAs(`org.quartz.somewhere.${name}`)).toEqual(expected);
  };
}

const aliases = tableUnder('Names that mean the same').rows.flatMap(([key = '', ours = '', also = '']) =>
  also
    .split(', ')
    .map((name) => [`${plain(key)}: ${plain(name)}`, sameAs(plain(key), plain(ours), plain(name))] as const),
);

/** `false` is told of; `true` is not. */
const always = tableUnder('Always true').rows.map(([cell = '']) => {
  const key = plain(cell);
  const proof = async () => {
    const [section = '', name = ''] = key.split('.');
    const withValue = (value: boolean) =>
      warningsWith({ [section]: { class: 'sqlite', path: newFile(), [name]: value } } as unknown as Configuration);
    expect(await withValue(true)).toEqual([]);
    expect(await withValue(false)).toEqual([expect.stringContaining(`${key} (it is always true)`)]);
  };
  return [key, proof] as const;
});

/** One that is set is named in a warning, with the reason. */
const ignored = tableUnder('Known, without effect here').rows.map(([cell = '', reason = '']) => {
  const key = plain(cell);
  const proof = async () => {
    const written = key.replaceAll('*', 'any');
    const [warning = '', ...others] = await warningsWith({ [written]: 'x' } as Configuration);
    expect(warning).toContain(`${written} (${reason})`);
    expect(others).toEqual([]);
    expect(await codeOf(() => open({ [`my${written}`]: 'x' } as Configuration))).toBe('CONFIGURATION');
  };
  return [key, proof] as const;
});

/** Keys and names of Quartz's that are understood and choose nothing. */
export const otherNameProofs: Proofs = Object.fromEntries([...aliases, ...always, ...ignored]);

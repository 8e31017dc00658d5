import type { Configuration } from '../../../../src';
import { loadConfig } from '../../../../src/config/load-config';
import { pageOf, type Table, tablesOf } from '../../../docs/reference-entries/read-reference';
import { proves } from '../../../support/proves';
import { closeAll, codeOf, deleteFolders, newFile, open } from '../../../support/world/world';

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

/** Settings that a class requires in addition to its name. */
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

afterEach(closeAll);
afterAll(deleteFolders);

const aliases = tableUnder('Names that mean the same').rows.flatMap(([key = '', ours = '', also = '']) =>
  also.split(', ').map((name) => ({ key: plain(key), ours: plain(ours), name: plain(name) })),
);

it.each(aliases)('$key: $name is read as $ours, with or without a Java package', async ({ key, ours, name }) => {
  proves('configuration', 'all under: Names that mean the same');
  const written = key.replace('<name>', 'p');
  const readAs = async (value: string) =>
    (await loadConfig({ ...(COMPANIONS[`${key} ${ours}`] ?? {}), [written]: value }, ENVIRONMENT)).config;
  const expected = await readAs(ours);
  expect(await readAs(name)).toEqual(expected);
  expect(await readAs(`org.quartz.somewhere.${name}`)).toEqual(expected);
});

it.each(
  tableUnder('Always true').rows.map(([cell = '']) => plain(cell)),
)('the setting %s may be true, and false causes a warning', async (key) => {
  proves('configuration', 'all under: Always true');
  const [section = '', name = ''] = key.split('.');
  const withValue = (value: boolean) =>
    warningsWith({ [section]: { class: 'sqlite', path: newFile(), [name]: value } } as unknown as Configuration);
  expect(await withValue(true)).toEqual([]);
  expect(await withValue(false)).toEqual([expect.stringContaining(`${key} (it is always true)`)]);
});

const ignored = tableUnder('Known, without effect here').rows.map(
  ([cell = '', reason = '']) => [plain(cell), reason] as const,
);

it.each(ignored)('the ignored setting %s causes a warning with the reason', async (key, reason) => {
  proves('configuration', 'all under: Known, without effect here');
  const written = key.replaceAll('*', 'any');
  const [warning = '', ...others] = await warningsWith({ [written]: 'x' } as Configuration);
  expect(warning).toContain(`${written} (${reason})`);
  expect(others).toEqual([]);
  expect(await codeOf(() => open({ [`my${written}`]: 'x' } as Configuration))).toBe('CONFIGURATION');
});

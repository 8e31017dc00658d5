import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createScheduler, newJob } from '../../src';
import { runProgram } from '../../src/cli/program';
import { memoryOutput } from '../support/memory-output';
import { proves } from '../support/proves';
import { DatabaseSync } from '../support/sqlite';

describe('quartz doctor', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-doctor-'));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const node = () =>
    createScheduler(
      { jobStore: { class: 'sqlite', path: join(folder, 'sick.db'), storeThread: false } },
      { jobs: { report: async () => {} } },
    );

  async function quartz(...args: readonly string[]) {
    const { output, stdout, stderr } = memoryOutput();
    const url = `sqlite:${join(folder, 'sick.db')}`;
    const code = await runProgram([...args, '--url', url], { output, env: {}, folder });
    return { code, stdout: stdout(), stderr: stderr() };
  }

  it('finds the faults of tables that other commands refuse, and repairs them after confirmation', async () => {
    proves('command-line', 'exit code 14');
    expect((await quartz('migrate', '--apply')).code).toBe(0);
    expect((await quartz('doctor')).code).toBe(0); // before a scheduler has used them
    const scheduler = await node();
    await scheduler.addJob(newJob('report').withIdentity('report').storeDurably().build());
    await scheduler.shutdown();
    const database = new DatabaseSync(join(folder, 'sick.db'));
    database.exec('DROP INDEX IDX_QRTZ_T_NFT_ST');
    database.close();
    const [refused, found, declined] = await Promise.all([
      quartz('jobs', 'list'),
      quartz('doctor'),
      quartz('doctor', 'repair', 'missingIndexes'),
    ]);
    expect([refused.code, refused.stderr]).toEqual([7, expect.stringContaining('IDX_QRTZ_T_NFT_ST')]);
    expect([found.code, found.stderr]).toEqual([14, '']);
    expect(found.stdout).toMatch(
      /^problem missing indexes\n {2}id +missingIndexes\n(?: {2}.+\n)*? {2}found +.*IDX_QRTZ_T_NFT_ST/m,
    );
    expect(found.stdout).toMatch(/^ {2}repair +quartz doctor repair missingIndexes$/m);
    expect(found.stdout).not.toContain('…'); // no row is truncated
    expect([declined.code, declined.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    const repaired = await quartz('doctor', 'repair', 'missingIndexes', '--yes', '--json');
    expect(JSON.parse(repaired.stdout)).toEqual({ items: [{ id: 'missingIndexes', count: 1 }] });
    const [after, listed, facts] = await Promise.all([
      quartz('doctor', '--json'),
      quartz('jobs', 'list'),
      quartz('doctor', 'facts'),
    ]);
    expect(after.code).toBe(0); // a note is not a problem
    expect(JSON.parse(after.stdout).items).toEqual([
      expect.objectContaining({ id: 'notReady', severity: 'note', found: 'No node is alive, so nothing fires.' }),
    ]);
    expect(listed.code).toBe(0);
    expect(facts.stdout).toMatch(/^server +journal_mode +wal$/m);
    const sql = await quartz('doctor', 'facts', '--sql');
    expect(sql.stdout).toMatch(/^-- server: journal_mode: wal$/m);
    expect(sql.stdout).toMatch(/^-- selectDueTriggers\nSELECT\n[\s\S]*?^LIMIT \? \+ 0 OFFSET \? \+ 0;$/m);
  }, 60_000);

  it('does not report itself as a stopped node while a node runs', async () => {
    const scheduler = await node();
    await scheduler.start();
    const { code, stdout } = await quartz('doctor', '--json');
    await scheduler.shutdown();
    expect([code, JSON.parse(stdout)]).toEqual([0, { items: [] }]);
  }, 60_000);
});

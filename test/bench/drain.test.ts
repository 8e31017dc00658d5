import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { describeOnOneServer, startServer } from '../support/database/test-database';
import { freshDist } from '../support/fresh-dist';

const MAIN = join(__dirname, '../../bench/main.mjs');

interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly rounds: number;
}

interface Report {
  readonly workload: string;
  readonly server: string;
  readonly sides: readonly {
    readonly label: string;
    readonly cut: boolean;
    readonly figures: Readonly<Record<string, Summary>>;
    readonly rounds: readonly { readonly count: number; readonly perNode: readonly number[] }[];
  }[];
  readonly ratios: readonly { readonly label: string; readonly ofMedians: number }[];
}

const OF_NODES = ['perSecond', 'lateP50', 'lateP99', 'lateMax', 'nodesCpuMs'];
const OF_A_SERVER = [
  'statements',
  'commits',
  'handlerCommits',
  'bytesIn',
  'bytesOut',
  'redoBytes',
  'lockWaits',
  'lockMs',
];

function bench(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });
}

async function drain(...args: readonly string[]): Promise<Report> {
  const { code, out, err } = await bench('drain', '--n', '200', '--no-java', '--json', ...args);
  expect({ code, err }).toMatchObject({ code: 0 });
  const { reports } = JSON.parse(out) as { reports: readonly Report[] };
  return reports[0] as Report;
}

describe('the benchmark of a drain', () => {
  beforeAll(() => {
    freshDist();
  });

  it('fires every trigger of a SQLite file once per round, and reports figures', async () => {
    const report = await drain('--store', 'sqlite', '--rounds', '2');
    expect(report).toMatchObject({ workload: 'drain', server: 'SQLite, synchronous=FULL' });
    expect(report.sides.map(({ label, cut }) => [label, cut])).toEqual([['quartz-ts', false]]);
    expect(report.sides[0]?.rounds.map(({ count }) => count)).toEqual([200, 200]);
    expect(Object.keys(report.sides[0]?.figures ?? {}).sort()).toEqual([...OF_NODES].sort());
    expect(report.sides[0]?.figures.perSecond).toMatchObject({ rounds: 2, median: expect.any(Number) });
  });

  it('rejects invalid arguments with exit code 2 and a message', async () => {
    expect(await bench('drain', '--n', 'many')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--n many: expected'),
    });
    expect(await bench('drain', '--nn', '1')).toMatchObject({ code: 2, err: expect.stringContaining("'--nn'") });
    expect(await bench('dream')).toMatchObject({ code: 2, err: expect.stringContaining('drain|limits|schedule') });
  });
});

describeOnOneServer('the benchmark of a drain on a server', () => {
  it('reports the load of the server, compares two nodes with one, and leaves no database behind', async () => {
    freshDist();
    const server = await startServer(); // a private server, so that its counters include no other test
    const { url } = server;
    const report = await drain('--rounds', '1', '--nodes', '2', '--url', url);
    const expected = [...OF_NODES, ...OF_A_SERVER];
    for (const { figures, rounds } of report.sides) {
      expect(Object.keys(figures)).toEqual(expect.arrayContaining(expected));
      expect(rounds.map(({ count }) => count)).toEqual([200]);
    }
    expect(report.sides.map(({ rounds }) => rounds[0]?.perNode.length)).toEqual([1, 2]);
    expect(report.sides[0]?.figures.statements?.median).toBeGreaterThan(0);
    expect(report.ratios).toMatchObject([{ label: 'quartz-ts, 2 nodes / quartz-ts', ofMedians: expect.any(Number) }]);
    const connection = await createConnection(url);
    const [left] = await connection.query<RowDataPacket[]>("SHOW DATABASES LIKE 'quartz\\_bench\\_%'");
    await connection.end();
    await server.stop();
    expect(left).toEqual([]);
  }, 60_000);
});

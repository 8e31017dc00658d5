import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { freshDist } from '../support/fresh-dist';
import { IS_LONG } from '../support/long-forms';

const MAIN = join(__dirname, '../../bench/main.mjs');

interface Round {
  readonly count: number;
  readonly deleted: number;
  readonly left: number;
  readonly pieces: readonly unknown[] | undefined;
  readonly findMax: number;
}

function retention(...args: readonly string[]): Promise<readonly (readonly Round[])[]> {
  const short = ['--store', 'sqlite', '--n', '500', '--k', '20', '--rounds', '1', '--warm', '1', '--seconds', '2'];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [MAIN, 'retention', ...short, '--json', ...args], (error, out) => {
      if (error !== null) reject(error);
      else resolve((JSON.parse(out).reports[0].sides as { rounds: Round[] }[]).map(({ rounds }) => rounds));
    });
  });
}

describe('the benchmark of the retention', () => {
  beforeAll(() => {
    freshDist();
  });

  it.each(
    IS_LONG ? ['age', 'dead-letters'] : ['age'],
  )('deletes all runs expired by %s while triggers fire, and none if none has expired', async (kind) => {
    const [deleting, kept] = await retention('--kind', kind);
    expect(deleting).toMatchObject([{ deleted: 500, left: 0, pieceMax: expect.any(Number) }]);
    expect(kept).toMatchObject([{ deleted: 0, left: 500, findMax: expect.any(Number) }]);
    for (const round of [...(deleting ?? []), ...(kept ?? [])]) expect(round.count).toBeGreaterThan(0);
  }, 60_000);
});

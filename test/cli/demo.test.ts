import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCli } from '../support/cli-process';
import { freshDist } from '../support/fresh-dist';

const MINUTE = 60_000;

describe('quartz demo, without a terminal', () => {
  let folder: string;
  beforeAll(() => {
    freshDist();
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-demo-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it(
    'ends by itself, having run everything once and what the killed node ran again',
    async () => {
      const { code, stdout, stderr } = await startCli(['demo', '--for', '15s', '--json'], folder).ended;
      const summary = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
      expect({ code, summary, stderr }).toMatchObject({
        code: 0,
        summary: { type: 'summary', nodes: 3, firedTwice: 0, missing: 0, unexpected: 0 },
        stderr: '',
      });
      expect(summary.firedOnce + summary.lostWithNode).toBe(summary.expected);
      expect(summary.recovered).toBe(summary.interrupted);
      expect(summary.interrupted).toBeGreaterThan(0);
      expect(readdirSync(folder)).toEqual([]);
    },
    MINUTE,
  );

  it(
    'shows its nodes as lines, and stops with all its processes when it is asked to',
    async () => {
      const demo = startCli(['demo', '--nodes', '2', '--for', '1m'], folder);
      await demo.seen('node-2 is running as process');
      demo.child.kill('SIGINT');
      const { code, stdout } = await demo.ended;
      expect(code).not.toBe(0);
      const processes = [...stdout.matchAll(/is running as process (\d+)/g)].map(([, id]) => Number(id));
      expect(processes).toHaveLength(2);
      for (const id of processes) expect(() => process.kill(id, 0)).toThrow('ESRCH');
      expect(stdout).not.toContain('\u001b[');
    },
    MINUTE,
  );
});

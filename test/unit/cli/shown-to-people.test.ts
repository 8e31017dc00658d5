import { shownToPeople } from '../../../src/cli/operations/format-answer';
import { printFormatted } from '../../../src/cli/operations/format-values';
import { Output } from '../../../src/cli/output';
import { OPERATIONS, type OperationName, type OutputOf } from '../../../src/operations/operations';
import { memoryOutput } from '../../support/memory-output';

const AT = '2026-01-01T12:00:00.123Z';

function printed<Name extends OperationName>(name: Name, answer: OutputOf<Name>): readonly string[] {
  const { output, stdout } = memoryOutput();
  printFormatted(output, shownToPeople(name, answer));
  return stdout().trimEnd().split('\n');
}

const node: OutputOf<'nodes.list'>['items'][number] = {
  unreadable: null,
  ...{ instanceId: 'worker-frankfurt-12', host: 'worker-frankfurt-12', processId: 123_456, version: '10.11.12' },
  timeZoneData: '2025c',
  ...{ isThisNode: true, isJava: false, state: 'alive', isDraining: false, holdsBack: null, labels: ['gpu'] },
  refusedJobTypes: [],
  ...{ lastCheckInTime: AT, leaseUntil: AT, startedAt: AT, jobTypes: ['report', 'mail'] },
  load: {
    ...{ running: 25, workers: 100, firingsPerMinute: 12_345.6, failedPerMinute: 123.4 },
    latenessMs: { p50: 4, p99: 31 },
  },
};

test('nodes are printed in rows of at most 120 columns, even if they drain, hold back or are silent', () => {
  const silent = { ...node, instanceId: 'node-2', isDraining: true, lastCheckInTime: null, load: null };
  const named = printed('nodes.list', { items: [{ ...node, instanceId: 'node-1' }, silent] });
  const held = { ...node, instanceId: 'node-1', host: null, holdsBack: { since: AT, until: AT } };
  const holding = printed('nodes.list', {
    items: [held, { ...held, isDraining: true }, { ...held, state: 'silent' }],
  });
  const byHost = printed('nodes.list', { items: [{ ...node, instanceId: `${node.host}1767268800123` }] });
  expect(named[0]).toMatch(/^node +state +last check in +version +host +running +per min +failed +p50 late +p99 late$/);
  expect(named[1]).toMatch(/^node-1 .* 25\/100 +12345\.6 +123\.4 +4 ms +31 ms$/);
  expect(named[2]).toMatch(/^node-2 +draining +- +10\.11\.12 +worker-frankfurt-12 +- +- +- +- +-$/);
  expect(holding[1]).toMatch(/^node-1 +holding back since 12:00:00Z +2026/);
  expect([holding[2], holding[3]]).toEqual([expect.stringMatching(/ draining /), expect.stringMatching(/ silent /)]);
  expect(byHost[0]).not.toContain('host');
  expect([named.length, byHost.length]).toEqual([3, 2]);
  for (const line of [...named, ...holding, ...byHost]) expect(line.length).toBeLessThanOrEqual(120);
});

test('a drain shows the runs that the node waits for with their age, and no empty sections', () => {
  const key = { group: 'DEFAULT', name: 'import' };
  const run = { runId: 'r1', job: key, trigger: { group: 'g', name: 'nightly' } };
  const waiting = printed('nodes.drain', {
    ...{ drained: true, running: 1 },
    waitsFor: [{ ...run, fireTime: AT, ageMs: 90_000 }],
    handedOver: [{ ...run, runId: 'r0', endTime: AT }],
  });
  expect(waiting.map((line) => line.trim().replace(/ {2,}/g, ' | '))).toEqual([
    'drained | yes',
    'running | 1',
    'waits for',
    'job | trigger | age | run id',
    'DEFAULT/import | g/nightly | 1.5 min | r1',
    'handed over',
    'run id | job | trigger | end time',
    expect.stringMatching(/^r0 \| DEFAULT\/import \| g\/nightly \| 2026/),
  ]);
  const idle = printed('nodes.drain', { drained: true, running: 0, waitsFor: [], handedOver: [] });
  expect(idle.join('\n')).not.toMatch(/waits for|handed over/);
});

test('the overview has one line per figure and per chart of the last 15 minutes', () => {
  const steps = Array.from({ length: 30 }, (_, at) => ({
    ...{ begin: AT, started: at, ended: at, failed: 0 },
    latenessMs: at === 0 ? { p50: null, p99: null } : { p50: 1, p99: 2 * at },
  }));
  const minute = { begin: AT, outcomes: { succeeded: 10, failed: 1 } };
  const lines = printed('overview.show', {
    ...{
      now: AT,
      nextFireTime: AT,
      waitingSince: null,
      executing: 3,
      triggersInError: [],
      endedByCalendar: [],
      overdue: [],
    },
    ...{ backlog: { count: 1_000, isExact: false }, deadLetters: { count: 2, isExact: true } },
    ...{ inError: { count: 0, isExact: true }, pausedGroups: ['mails'], nodes: [node] },
    runs: { minutes: [minute, minute], isTruncated: true },
    load: {
      ...{ firingsPerMinute: 120.5, failedPerMinute: 2, latenessMs: { p50: 4, p99: 58 } },
      ...{ successRate: 0.9996, stepMs: 30_000, steps },
    },
  });
  const text = lines.map((line) => line.replace(/ {2,}/g, '  '));
  expect(text).toEqual(
    expect.arrayContaining([
      'running  3',
      'backlog  more than 1000',
      'dead letters  2',
      'a minute  120.5 fired, 2 failed',
      'lateness  p50 4 ms, p99 58 ms',
      'success rate  99.9 %',
      'fired in 15 min  ▁▂▂▂▂▃▃▃▃▄▄▄▄▅▅▅▅▆▆▆▆▇▇▇▇█████  at most 29 in 30 s',
      `failed in 15 min  ${'▁'.repeat(30)}  at most 0`,
      'runs of the last hour  20 succeeded, 2 failed (only the newest 1,000 runs)',
      'paused groups  mails',
    ]),
  );
  expect(lines.length).toBeLessThan(20);
});

test('excluded days of a calendar and its base are printed as in a schedule file', () => {
  const base = { type: 'weekly', excludedDays: [1, 7] };
  const definition = {
    type: 'annual',
    excludedDays: [
      [12, 25],
      [1, 1],
    ],
    base,
  };
  const lines = printed('calendars.show', {
    unreadable: null,
    ...{ name: 'holidays', type: 'annual', description: null, timeZone: null, version: 'v' },
    ...{ definition, triggers: [], triggerTotal: { count: 0, isExact: true }, owner: null, override: null },
  });
  expect(lines.map((line) => line.trim()).filter((line) => line.startsWith('- '))).toEqual(
    ['12-25', '01-01', 'SUN', 'SAT'].map((day) => `- ${day}`),
  );
});

test('a list on a narrow terminal keeps only the first columns that fit', () => {
  const run = {
    runId: 'mb1-host1',
    job: { group: 'g', name: 'orders' },
    outcome: 'failed',
    error: 'no paper',
    endTime: AT,
    attempt: 1,
  };
  const { columns } = OPERATIONS['runs.list'].command;
  const linesAt = (width: number) => {
    const { streams, stdout } = terminalOutput(width);
    printFormatted(new Output(streams), { items: [run], next: null }, columns);
    return stdout().trimEnd().split('\n');
  };
  expect(linesAt(80)[0]).toMatch(/^run id +job +outcome +error +end time +attempt$/);
  expect(linesAt(80)[1]).toMatch(/^mb1-host1 +g\/orders +failed +no paper /);
  expect(linesAt(40)[0]).toBe('run id     job       outcome  error');
});

function terminalOutput(columns: number) {
  let written = '';
  const write = (text: string) => {
    written += text;
    return true;
  };
  const streams = { stdout: { write }, stderr: { write }, colors: { stdout: false, stderr: false } };
  return { streams: { ...streams, terminal: { columns, write } }, stdout: () => written };
}

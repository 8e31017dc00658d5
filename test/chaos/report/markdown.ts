import type { LatenessClass, LatenessFigures } from '../checker/lateness';
import { findingsOf, type RunReport } from '../play';

interface LeftOut {
  readonly scenario: string;
  readonly reason: string;
}

/** Human-readable report: the checks, a table of violations, a table of lateness, and the findings. */
export function toMarkdown(reports: readonly RunReport[], leftOut: readonly LeftOut[]): string {
  const failed = reports.filter((report) => findingsOf(report).length > 0);
  return [
    `# Chaos: ${reports.length} runs, ${failed.length} with findings`,
    '',
    ...table(CORRECTNESS, reports),
    '',
    'Lateness in milliseconds, p50 / p99 / most, of triggers that are not late by design:',
    '',
    ...table(
      LATENESS,
      reports.filter(({ lateness }) => lateness !== null),
    ),
    ...failed.flatMap(describeFindings),
    ...(leftOut.length === 0 ? [] : ['', '## Left out', '']),
    ...leftOut.map(({ scenario, reason }) => `- ${scenario}: ${reason}`),
    '',
  ].join('\n');
}

type Column = readonly [title: string, value: (report: RunReport) => string];

const found = (name: string) => (report: RunReport) => String(report.violations[name]?.length ?? '');
const counted = (name: string) => (report: RunReport) => String(report.counts[name] ?? '');

const RUN: readonly Column[] = [
  ['scenario', ({ scenario }) => scenario],
  ['store', ({ options }) => options.store],
  ['seed', ({ options }) => String(options.seed)],
];

const CORRECTNESS: readonly Column[] = [
  ...RUN,
  ['due', counted('expected')],
  ['fired', counted('started')],
  ['twice', found('startedTwice')],
  ['lost', found('missing')],
  ['still waiting', counted('stillWaiting')],
  ['lost with its node', counted('lostWithTheirNode')],
  ['overlaps', found('overlapping')],
  ['increments', counted('increments')],
  ['lost increments', found('incrementsLost')],
  ['recoveries owed', counted('recoveriesOwed')],
  ['missing', found('notRecovered')],
  ['double', found('recoveredTwice')],
  ['left at rest', found('leftAtRest')],
  ['verdict', (report) => (findingsOf(report).length === 0 ? 'pass' : 'FAIL')],
];

const figures = ({ count, p50, p99, max }: LatenessFigures) => (count === 0 ? '' : `${p50} / ${p99} / ${max}`);
const late = (kind: LatenessClass) => (report: RunReport) =>
  report.lateness === null ? '' : figures(report.lateness[kind]);

const LATENESS: readonly Column[] = [
  ...RUN,
  ['outside of faults', late('calm')],
  ['after a death', late('death')],
  ['after an outage', late('outage')],
  ['under interference', late('interference')],
  ['recovered after', counted('recoveryDelayMax')],
  ['faults', ({ deeds }) => counts(deeds)],
  ['', ({ notes = [] }) => notes.join('; ')],
];

function table(columns: readonly Column[], reports: readonly RunReport[]): readonly string[] {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    row(columns.map(([title]) => title)),
    row(columns.map(() => '---')),
    ...reports.map((report) => row(columns.map(([, value]) => value(report)))),
  ];
}

function describeFindings(report: RunReport): readonly string[] {
  const { scenario, options, events, notes = [] } = report;
  const { store, seed, seconds, nodes, share, defaults } = options;
  const again = [
    `--store ${store}`,
    `--seconds ${seconds}`,
    `--nodes ${nodes}`,
    `--seeds ${seed}`,
    ...(share === 1 ? [] : [`--share ${share}`]),
    ...(defaults ? ['--defaults'] : []),
  ];
  return [
    '',
    `## ${scenario} on ${store}, seed ${seed}`,
    '',
    `    npm run chaos -- ${scenario} ${again.join(' ')}`,
    '',
    ...findingsOf(report).map((finding) => `- ${finding.replaceAll('\n', ' ')}`),
    ...notes.map((note) => `- (${note})`),
    ...(Object.keys(events).length === 0 ? [] : [`- told: ${counts(events)}`]),
  ];
}

const counts = (record: Readonly<Record<string, number>>) =>
  Object.entries(record)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 12)
    .map(([name, count]) => `${name} ×${count}`)
    .join('; ');

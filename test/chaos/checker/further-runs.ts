/*
 * Checks of occurrences with several runs, by the lines of their jobs and the recorded runs that succeeded.
 */

/** A line of the jobs of `further-jobs.cjs`. `time`: fire time of the occurrence. */
export interface FurtherLine {
  readonly line: 'part' | 'parent' | 'child' | 'resumed' | 'acknowledged';
  readonly mono: number;
  readonly job: string;
  readonly time: number;
  /** Run id. */
  readonly id: string;
  /** Index of a part. */
  readonly index?: number;
  /** Parent run of a child. */
  readonly parent?: string;
  /** Checkpoint that a run has found, or whose storage was acknowledged. */
  readonly step?: number;
}

/** A run that was recorded as succeeded. */
export interface SucceededRun {
  readonly id: string;
  readonly job: string;
  readonly time: number;
}

export interface FurtherFacts {
  readonly lines: readonly FurtherLine[];
  readonly succeeded: readonly SucceededRun[];
  /** Fire times of every job. */
  readonly times: readonly number[];
  /** Number of parts of each occurrence. */
  readonly shards: number;
  readonly jobs: { readonly parts: number; readonly chains: number; readonly steps: number };
}

export interface FurtherVerdict {
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: Readonly<Record<string, readonly string[]>>;
}

export function judgeFurtherRuns(facts: FurtherFacts): FurtherVerdict {
  const of = (line: FurtherLine['line']) => facts.lines.filter((each) => each.line === line);
  const ids = new Set(facts.succeeded.map(({ id }) => id));
  const children = new Map(of('child').map((each) => [each.id, each]));
  return {
    counts: {
      expected: facts.times.length * (facts.jobs.parts * facts.shards + facts.jobs.chains + facts.jobs.steps),
      started: of('part').length + of('parent').length + of('resumed').length,
      children: [...children.keys()].filter((id) => ids.has(id)).length,
      resumed: of('resumed').filter(({ step = 0 }) => step > 0).length,
      acknowledged: of('acknowledged').length,
    },
    violations: {
      partsNotOnce: partsNotOnce(facts, of('part')),
      notSucceededOnce: [...notOnce(facts, 'parent', facts.jobs.chains), ...notOnce(facts, 'steps', facts.jobs.steps)],
      childrenNotOnce: childrenNotOnce(facts, [...children.values()]),
      checkpointsLost: checkpointsLost(of('resumed'), of('acknowledged')),
    },
  };
}

const occurrence = ({ job, time }: { readonly job: string; readonly time: number }) => `${job} at ${time}`;

function namesOf(type: string, count: number, { times }: FurtherFacts): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${type}-${index}`).flatMap((job) =>
    times.map((time) => occurrence({ job, time })),
  );
}

function countedBy(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Parts that did not succeed exactly once. */
function partsNotOnce(facts: FurtherFacts, parts: readonly FurtherLine[]): readonly string[] {
  const indexes = new Map(parts.map(({ id, index }) => [id, index]));
  const runs = facts.succeeded.filter(({ job }) => job.startsWith('parts-'));
  const counts = countedBy(
    runs.map((run) => `${occurrence({ ...run, time: Number(run.time) })}, ${indexes.get(run.id)}`),
  );
  const expected = namesOf('parts', facts.jobs.parts, facts).flatMap((name) =>
    Array.from({ length: facts.shards }, (_, index) => `${name}, ${index}`),
  );
  return wrong(counts, expected);
}

function notOnce(facts: FurtherFacts, type: string, count: number): readonly string[] {
  const runs = facts.succeeded.filter(({ job }) => job.startsWith(`${type}-`));
  const counts = countedBy(runs.map((run) => occurrence({ ...run, time: Number(run.time) })));
  return wrong(counts, namesOf(type, count, facts));
}

/** Violations of: each successful parent run has one successful child, and other parent runs have none. */
function childrenNotOnce({ succeeded }: FurtherFacts, children: readonly FurtherLine[]): readonly string[] {
  const ids = new Set(succeeded.map(({ id }) => id));
  const parents = succeeded.filter(({ job }) => job.startsWith('parent-')).map(({ id }) => id);
  const counts = countedBy(children.filter(({ id }) => ids.has(id)).map(({ parent = '' }) => parent));
  const begun = new Set(children.map(({ parent = '' }) => parent));
  return [
    ...wrong(counts, parents),
    ...[...begun].filter((id) => !ids.has(id)).map((id) => `child of ${id}, which did not succeed`),
  ];
}

function wrong(counts: ReadonlyMap<string, number>, expected: readonly string[]): readonly string[] {
  const names = new Set(expected);
  return [
    ...expected.filter((name) => counts.get(name) !== 1).map((name) => `${name}: ${counts.get(name) ?? 0} times`),
    ...[...counts.keys()].filter((name) => !names.has(name)).map((name) => `${name}: not expected`),
  ];
}

/** Runs that began from an older checkpoint than an acknowledged one of the same occurrence. */
function checkpointsLost(resumed: readonly FurtherLine[], acknowledged: readonly FurtherLine[]): readonly string[] {
  const byOccurrence = new Map<string, FurtherLine[]>();
  for (const each of acknowledged) {
    const list = byOccurrence.get(occurrence(each)) ?? [];
    list.push(each);
    byOccurrence.set(occurrence(each), list);
  }
  return resumed.flatMap((start) => {
    const before = (byOccurrence.get(occurrence(start)) ?? []).filter(({ mono }) => mono < start.mono);
    const newest = Math.max(0, ...before.map(({ step = 0 }) => step));
    return (start.step ?? 0) < newest ? [`${occurrence(start)}: began at ${start.step}, ${newest} was stored`] : [];
  });
}

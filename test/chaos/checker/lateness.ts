import { percentile } from '../../cluster/support/figures';
import type { Start } from '../../cluster/support/history';
import { endOf, factsOf, grouped, type Run, type Span } from './facts';

/** A fault, and the time until which it may delay firings. */
export interface Disturbance extends Span {
  /**
   * `death`: a node stopped working. `outage`: no node could reach the database. `interference`: work continues, but slowly or only after a
   * second attempt.
   */
  readonly kind: 'death' | 'outage' | 'interference';
}

/** Outside of faults, after a death, after an outage, and during interference. */
export type LatenessClass = 'calm' | Disturbance['kind'];

export interface LatenessFigures {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export type LatenessByClass = Readonly<Record<LatenessClass, LatenessFigures>>;

export interface LatenessRules {
  readonly disturbances: readonly Disturbance[];
  /** Detection time of a dead node. Milliseconds. */
  readonly detection: number;
  /** Loads whose triggers are late by design, because they need more time than there is. */
  readonly lateByDesign: ReadonlySet<string>;
  /** A job that the fault prevents from running. */
  readonly lateJob?: string | undefined;
}

/** Time in which a cluster recovers after a fault. Milliseconds. */
const SETTLING = { death: 1_000, outage: 2_000, interference: 1_000 };

/** Limits of the p99 lateness. Milliseconds. */
export const limitsOf = (detection: number): Readonly<Record<LatenessClass, number>> => ({
  calm: 500,
  death: detection + SETTLING.death,
  outage: SETTLING.outage,
  interference: SETTLING.outage,
});

interface Wait extends Span {
  readonly since: number;
}

/** Lateness of firings, by the fault that happened while they waited. */
export function latenessByClass(run: Run, rules: LatenessRules): LatenessByClass {
  const found: Record<LatenessClass, number[]> = { calm: [], death: [], outage: [], interference: [] };
  for (const wait of waitsIn(run, rules)) {
    const { kind, lateness } = classify(wait, rules);
    found[kind].push(lateness);
  }
  return {
    calm: figures(found.calm),
    death: figures(found.death),
    outage: figures(found.outage),
    interference: figures(found.interference),
  };
}

/**
 * Spans from the time at which a firing could begin to its start. The next run of an exclusive job cannot begin before the previous one
 * has ended.
 */
function waitsIn(run: Run, { lateByDesign, lateJob }: LatenessRules): readonly Wait[] {
  const facts = factsOf(run);
  const exclusive = new Set(run.expected.filter(({ load }) => load.exclusive).map(({ job }) => job));
  const left = new Set(run.expected.filter(({ load }) => lateByDesign.has(load.name)).map(({ job }) => job));
  const freeSince = new Map<Start, number>();
  for (const [job, runs] of grouped(facts.starts, ({ job }) => job)) {
    if (!exclusive.has(job)) continue;
    let free = Number.NEGATIVE_INFINITY;
    for (const start of runs) {
      freeSince.set(start, free);
      free = Math.max(free, endOf(facts, start));
    }
  }
  return facts.ordinary
    .filter(({ job }) => !left.has(job) && job !== lateJob)
    .map((start) => {
      const due = start.time - run.wallOffset;
      return { since: due, from: Math.max(due, freeSince.get(start) ?? due), to: start.mono };
    });
}

/**
 * A fault excuses firings that waited during the fault or the recovery from it. Their lateness counts from the end of an outage, or from the
 * beginning of a death, because other nodes can detect it from then on.
 */
function classify({ since, from, to }: Wait, { disturbances, detection }: LatenessRules) {
  for (const kind of ['outage', 'death', 'interference'] as const) {
    const met = disturbances.filter(
      (each) => each.kind === kind && each.from <= to && settledAt(each, detection) >= since,
    );
    if (met.length === 0) continue;
    const last = Math.max(...met.map((each) => (kind === 'outage' ? each.to : each.from)).filter((at) => at <= to));
    return { kind, lateness: Math.max(0, to - (kind === 'interference' ? from : Math.max(from, last))) };
  }
  return { kind: 'calm' as const, lateness: Math.max(0, to - from) };
}

/** Time at which the cluster has recovered: after the detection of a death, or the end of an outage. */
const settledAt = ({ kind, from, to }: Disturbance, detection: number) =>
  (kind === 'death' ? Math.max(to, from + detection) : to) + SETTLING[kind];

function figures(values: readonly number[]): LatenessFigures {
  if (values.length === 0) return { count: 0, p50: 0, p99: 0, max: 0 };
  const at = (share: number) => Math.round(percentile(values, share));
  return { count: values.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** Descriptions of exceeded limits. */
export function judgeLateness(lateness: LatenessByClass, detection: number): readonly string[] {
  const limits = limitsOf(detection);
  return (Object.keys(limits) as LatenessClass[])
    .filter((kind) => lateness[kind].p99 > limits[kind])
    .map((kind) => `p99 ${lateness[kind].p99} ms ${DESCRIPTIONS[kind]}, at most ${limits[kind]} ms`);
}

export const DESCRIPTIONS: Readonly<Record<LatenessClass, string>> = {
  calm: 'outside of faults',
  death: 'after a death',
  outage: 'after an outage',
  interference: 'under interference',
};

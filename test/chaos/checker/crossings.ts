import type { Facts } from './facts';

/*
 * Combined features: rates, parts whose occurrences must not overlap, checkpoints of chained jobs that begin in one millisecond, and manual edits of
 * triggers that nodes declare again when they start. They are checked by the lines of the jobs of `crossed-jobs.cjs`, and by the recorded runs that
 * succeeded.
 */

export interface CrossedLine {
  readonly line: 'turn' | 'queued' | 'queuedEnd' | 'origin' | 'found' | 'kept';
  readonly node: string;
  readonly mono: number;
  readonly job: string;
  /** Fire time of the occurrence. */
  readonly time: number;
  /** Run id. */
  readonly id: string;
  readonly occurrence: string;
  readonly attempt: number;
  readonly recovered?: boolean;
  /** Index of a part. */
  readonly index?: number;
  /** The occurrence whose checkpoint an attempt has found; null if it has found none. */
  readonly found?: string | null;
}

export interface SucceededOccurrence {
  readonly id: string;
  readonly job: string;
  readonly time: number;
  readonly occurrence: string;
}

/** A manual edit of a declared trigger. Times of the machine's monotonic clock. */
export interface DeclaredEdit {
  readonly trigger: string;
  readonly value: number;
  readonly begun: number;
  /** Time of the acknowledgement; null if it is unknown whether the edit was stored. */
  readonly done: number | null;
}

/** A stored value of a declared trigger, read between two times. */
export interface Sighting {
  readonly trigger: string;
  readonly value: number;
  readonly begun: number;
  readonly done: number;
}

export interface CrossedFacts {
  readonly lines: readonly CrossedLine[];
  readonly succeeded: readonly SucceededOccurrence[];
  /** Stops of processes. */
  readonly stops: Facts['stops'];
  readonly rate: { readonly limit: number; readonly per: number };
  /** Fire times of each job. */
  readonly times: Readonly<Record<'turns' | 'queueAll' | 'origins', readonly number[]>>;
  readonly jobs: { readonly turns: number; readonly queues: number; readonly origins: number; readonly links: number };
  readonly shards: number;
  readonly declaredValue: number;
  readonly edits: readonly DeclaredEdit[];
  readonly sightings: readonly Sighting[];
}

export function judgeCrossings(facts: CrossedFacts): Readonly<Record<string, readonly string[]>> {
  return {
    rateExceeded: rateExceeded(facts),
    turnsNotOnce: turnsNotOnce(facts),
    occurrencesOverlap: occurrencesOverlap(facts),
    partsNotOnce: partsNotOnce(facts),
    checkpointsMixed: checkpointsMixed(facts),
    linksNotOnce: linksNotOnce(facts),
    overridesLost: overridesLost(facts),
  };
}

/** Maximum time from firing until a job writes, and maximum time in which a continued process begins the firings that it held. Milliseconds. */
const TOLERANCE = 400;

const nameOf = ({ job, time }: { readonly job: string; readonly time: number }) => `${job} at ${Number(time)}`;

function countedBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** Runs that exceed the rate. Firings that a stopped process held are not counted. */
function rateExceeded({ lines, stops, rate }: CrossedFacts): readonly string[] {
  const isHeldUp = ({ node, mono }: CrossedLine) =>
    stops.some((stop) => stop.node === node && mono >= stop.from && mono <= stop.to + TOLERANCE);
  const turns = lines.filter((each) => each.line === 'turn' && !isHeldUp(each)).sort((a, b) => a.mono - b.mono);
  return turns.flatMap((turn, index) => {
    const before = turns[index - rate.limit];
    if (before === undefined || turn.mono - before.mono >= rate.per - TOLERANCE) return [];
    return [`${nameOf(turn)}: ${rate.limit} others in the ${Math.round(turn.mono - before.mono)} ms before`];
  });
}

function turnsNotOnce({ succeeded, times, jobs }: CrossedFacts): readonly string[] {
  const counts = countedBy(
    succeeded.filter(({ job }) => job.startsWith('turn-')),
    nameOf,
  );
  return notOnce(counts, expectedOf('turn', jobs.turns, times.turns));
}

const expectedOf = (type: string, count: number, times: readonly number[]) =>
  Array.from({ length: count }, (_, index) => times.map((time) => nameOf({ job: `${type}-${index}`, time }))).flat();

function notOnce(counts: ReadonlyMap<string, number>, expected: readonly string[]): readonly string[] {
  return expected.filter((name) => counts.get(name) !== 1).map((name) => `${name}: ${counts.get(name) ?? 0} times`);
}

/** Start and end of the successful parts, by occurrence. */
function spansOf({ lines, succeeded }: CrossedFacts) {
  const ids = new Set(succeeded.map(({ id }) => id));
  const own = lines.filter(({ line, id }) => (line === 'queued' || line === 'queuedEnd') && ids.has(id));
  return [...groupedBy(own, ({ occurrence }) => occurrence).values()].map((parts) => ({
    name: nameOf(parts[0] as CrossedLine),
    job: (parts[0] as CrossedLine).job,
    from: Math.min(...parts.map(({ mono }) => mono)),
    to: Math.max(...parts.map(({ mono }) => mono)),
    indexes: parts.filter(({ line }) => line === 'queued').map(({ index }) => index),
  }));
}

/** Occurrences that began before the last part of the previous one had ended. */
function occurrencesOverlap(facts: CrossedFacts): readonly string[] {
  return [...groupedBy(spansOf(facts), ({ job }) => job).values()].flatMap((spans) => {
    const inOrder = [...spans].sort((a, b) => a.from - b.from);
    return inOrder.flatMap(({ name, from }, index) => {
      const before = inOrder.slice(0, index).find(({ to }) => to > from);
      return before === undefined
        ? []
        : [`${name} began ${Math.round(before.to - from)} ms before ${before.name} ended`];
    });
  });
}

/** Parts that did not succeed exactly once. With `queueAll`, also missing occurrences. */
function partsNotOnce(facts: CrossedFacts): readonly string[] {
  const spans = spansOf(facts);
  const wanted = Array.from({ length: facts.shards }, (_, index) => index).join();
  const incomplete = spans
    .filter(({ indexes }) => [...indexes].sort((a = 0, b = 0) => a - b).join() !== wanted)
    .map(({ name, indexes }) => `${name}: parts ${indexes.join()}`);
  const counts = countedBy(spans, ({ name }) => name);
  return [...incomplete, ...notOnce(counts, expectedOf('queueAll', facts.jobs.queues, facts.times.queueAll))];
}

/** Attempts that found the checkpoint of another occurrence, or none although one was stored. */
function checkpointsMixed({ lines }: CrossedFacts): readonly string[] {
  const kept = groupedBy(
    lines.filter(({ line }) => line === 'kept'),
    ({ occurrence }) => occurrence,
  );
  return lines
    .filter(({ line }) => line === 'found')
    .flatMap((each) => {
      const { found = null, occurrence, mono } = each;
      if (found !== null && found !== occurrence) return [`${nameOf(each)}: ${occurrence} found that of ${found}`];
      const hasOwn = (kept.get(occurrence) ?? []).some((earlier) => earlier.mono < mono);
      return found === null && hasOwn ? [`${nameOf(each)}: ${occurrence} found none`] : [];
    });
}

/** Successful parent runs that did not lead to exactly one successful occurrence of each chained job. */
function linksNotOnce({ succeeded, jobs, times }: CrossedFacts): readonly string[] {
  const counts = countedBy(succeeded, ({ job }) => job);
  const originsOnce = notOnce(countedBy(succeeded, nameOf), expectedOf('origin', jobs.origins, times.origins));
  const wrong = Array.from({ length: jobs.origins }, (_, index) => index).flatMap((index) =>
    Array.from({ length: jobs.links }, (__, link) => `link-${index}-${link}`).flatMap((job) => {
      const [found, wanted] = [counts.get(job) ?? 0, counts.get(`origin-${index}`) ?? 0];
      return found === wanted ? [] : [`${job}: ${found} in place of ${wanted}`];
    }),
  );
  return [...originsOnce, ...wrong];
}

/** Stored values that are neither the last acknowledged edit nor a later edit whose result is unknown. */
function overridesLost({ edits, sightings, declaredValue }: CrossedFacts): readonly string[] {
  return sightings.flatMap(({ trigger, value, begun, done }) => {
    const own = edits.filter((edit) => edit.trigger === trigger && edit.begun < done);
    const last = own.findLastIndex((edit) => edit.done !== null && edit.done < begun);
    const allowed = own.slice(Math.max(0, last)).map((edit) => edit.value);
    if (last < 0) allowed.push(declaredValue);
    return allowed.includes(value) ? [] : [`${trigger}: ${value} in place of ${allowed.join(' or ')}`];
  });
}

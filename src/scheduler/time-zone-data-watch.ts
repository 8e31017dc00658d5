import type { Clock } from '../base/clock';
import { PortionBreaks } from '../base/portion-breaks';
import { PortionSize } from '../base/portion-size';
import type { Service } from '../base/service';
import { inSlices } from '../base/steps';
import { HalfTime } from '../base/yield-to-event-loop';
import { loopOf } from '../cluster/retrying-loop';
import type { CalendarData } from '../domain/calendars/calendar';
import { calendarFrom } from '../domain/calendars/calendar-from-data';
import { checksIn } from '../domain/liveness';
import { recomputedFireTime } from '../domain/recomputed-fire-time';
import type { Rules } from '../domain/rules';
import type { ChangeOf } from '../domain/schedule-change';
import type { FireTimesRecomputed, SchedulerEvent } from '../domain/scheduler-event';
import { planZoneData } from '../domain/time-zone-data';
import type { Trigger } from '../domain/trigger';
import type { JobStore, TriggerPlace } from '../store/job-store';
import type { ClusterReader } from './node/store-node';
import type { EventInput } from './schedule-events';

interface RecomputationParts {
  readonly store: Pick<JobStore, 'applySchedule' | 'pageTriggers' | 'getCalendar'>;
  readonly clock: Clock;
  /** Time after which a late trigger counts as misfired, in milliseconds. */
  readonly misfireThreshold: number;
  readonly rules: Rules;
}

interface TimeZoneDataWatchParts extends RecomputationParts {
  readonly cluster: Pick<ClusterReader, 'ensureTimeZoneData' | 'replaceTimeZoneData' | 'readNodes'>;
  readonly instanceId: string;
  /** Version of this process's time zone data. */
  readonly version: string;
  readonly publish: (event: SchedulerEvent) => void;
  readonly announce: (event: EventInput) => void;
}

/** Interval between two readings of the stored version, which is one row. A node with older data may leave or join at any time. */
const INTERVAL_MS = 60_000;

/**
 * Keeps the stored fire times right when the time zone data of nodes differ. The database holds the oldest version by which fire times may have been
 * computed since they were last recomputed. If this node has newer data, it recomputes them in the background, and stores its own version once no node
 * with older data lives. See ADR 0062.
 */
export class TimeZoneDataWatch {
  readonly service: Service;
  readonly #parts: TimeZoneDataWatchParts;
  /** Stored version for which this node has already recomputed the fire times beside nodes with older data. */
  #doneBesideOlder: string | null = null;

  constructor(parts: TimeZoneDataWatchParts) {
    this.#parts = parts;
    this.service = loopOf('time zone data', {
      ...parts,
      during: 'recomputing fire times by newer time zone data',
      runOnce: (signal) => this.runOnce(signal),
      delay: () => INTERVAL_MS,
    });
  }

  /** Compares the stored version with this node's, and does the node's task. Rejects with the store's error. */
  async runOnce(signal: AbortSignal): Promise<void> {
    const { cluster, instanceId, version } = this.#parts;
    const stored = await cluster.ensureTimeZoneData(version);
    if (stored === version) return;
    const { now, nodes } = await cluster.readNodes();
    const living = nodes.filter((node) => checksIn(node, now));
    const task = planZoneData({ instanceId, version }, stored, living);
    if (task.type === 'lower') await cluster.replaceTimeZoneData(stored, version);
    if (task.type !== 'recompute' || (task.hasOlder && this.#doneBesideOlder === stored)) return;
    const counts = await recomputeFireTimes(this.#parts, signal);
    if (counts === null) return;
    if (counts.changed > 0 || !task.hasOlder)
      this.#parts.announce({ type: 'fireTimesRecomputed', from: stored, to: version, ...counts });
    if (task.hasOlder) this.#doneBesideOlder = stored;
    else await cluster.replaceTimeZoneData(stored, version);
  }
}

const MAX_EXAMPLES = 5;

type Counts = Pick<FireTimesRecomputed, 'triggers' | 'changed' | 'examples'>;

/**
 * Computes the next fire times of all triggers by the time zone data of this process. Reads and computes outside of transactions, with at most half of
 * the event loop's time, and stores only changed times, in portions of about 10 ms. Returns null if `signal` aborts first. Idempotent.
 */
async function recomputeFireTimes(parts: RecomputationParts, signal: AbortSignal): Promise<Counts | null> {
  const { store, clock, misfireThreshold } = parts;
  const breaks = new PortionBreaks(clock);
  const size = new PortionSize(clock);
  const half = new HalfTime(clock);
  const examples: Counts['examples'][number][] = [];
  let triggers = 0;
  let changed = 0;
  let after: TriggerPlace | null = null;
  do {
    const place: Partial<{ readonly after: TriggerPlace }> = after === null ? {} : { after };
    const page = await store.pageTriggers({ sort: 'key', take: size.size, omitTotal: true, ...place });
    const read = page.items.map(({ trigger }) => trigger);
    const changes = await changesOf(parts, read, half);
    triggers += read.length;
    breaks.begin();
    const { outcomes } = await size.measure(async () => {
      const options = { now: clock.now(), misfireThreshold };
      const applied = changes.length === 0 ? { outcomes: [] } : await store.applySchedule(changes, options);
      return { ...applied, done: changes.length };
    });
    for (const [index, { read: trigger, nextFireTime }] of changes.entries()) {
      if (outcomes[index]?.status !== 'replaced') continue;
      changed++;
      if (examples.length < MAX_EXAMPLES)
        examples.push({ key: trigger.key, before: trigger.nextFireTime ?? nextFireTime, after: nextFireTime });
    }
    after = page.next;
    if (!(await breaks.end(signal))) return null;
  } while (after !== null);
  return { triggers, changed, examples };
}

/** Returns the changes of the triggers whose next fire time differs. Skips a trigger that this node cannot read. */
async function changesOf(
  { store, clock, rules }: RecomputationParts,
  triggers: readonly Trigger[],
  half: HalfTime,
): Promise<readonly ChangeOf<'setFireTime'>[]> {
  const calendars = new Map<string, CalendarData | null>();
  const changes: ChangeOf<'setFireTime'>[] = [];
  for (const read of triggers) {
    const { calendarName, nextFireTime, unreadable } = read;
    if (nextFireTime === null || unreadable !== undefined) continue;
    if (calendarName !== null && !calendars.has(calendarName))
      calendars.set(calendarName, await store.getCalendar(calendarName));
    const data = calendarName === null ? null : (calendars.get(calendarName) ?? null);
    if (calendarName !== null && data === null) continue;
    const calendar = data === null ? null : calendarFrom(data, rules);
    const time = await inSlices(recomputedFireTime(read, calendar, { now: clock.now(), rules }), half);
    if (time !== null && time !== nextFireTime)
      changes.push({ type: 'setFireTime', read, calendar: data, nextFireTime: time });
  }
  return changes;
}

import type { JobDetail } from '../../../src/domain/job-detail';
import { jobKey } from '../../../src/domain/keys';
import { parseRetryPolicy } from '../../../src/domain/retry-policy';
import { REPEAT_INDEFINITELY, type SimpleTrigger, type Trigger } from '../../../src/domain/trigger';
import { after } from '../areas/chains';
import { HOUR, job, once, without } from '../samples';
import { type StoreDriver, storing, storingCalendar } from '../store-driver';
import { RETRY_DELAY } from './fates';
import type { Kind } from './table';

const BOUND = { calendarName: 'holidays' } as const;

const hourly = (name: string, fields: Partial<SimpleTrigger> = {}) =>
  once(name, { ...BOUND, repeatCount: REPEAT_INDEFINITELY, repeatInterval: HOUR, ...fields });

const JOBS: Readonly<Record<Kind, Partial<JobDetail>>> = {
  plain: {},
  retry: { policy: { retry: parseRetryPolicy({ max: 3, delay: RETRY_DELAY }, 'the job') } },
  requestsRecovery: { requestsRecovery: true },
  'one-off': {},
  shard: { policy: { spread: { shards: 2 } } },
  chain: {},
  limited: { policy: { concurrency: { key: 'mail', limit: 1 } } },
};

/** The job whose runs are watched, and its triggers: all but those of chains due now, and each hour unless they are one-offs. */
export function definitionOf(kind: Kind): { readonly job: JobDetail; readonly triggers: readonly Trigger[] } {
  const detail = job('job', JOBS[kind]);
  if (kind === 'one-off') return { job: detail, triggers: [once('trigger', BOUND)] };
  if (kind === 'chain') return { job: detail, triggers: [after('job', ['first'], BOUND)] };
  const second = kind === 'limited' ? [hourly('second')] : [];
  return { job: detail, triggers: [hourly('trigger', { priority: 9 }), ...second] };
}

/** Stores the job of a kind, with a calendar that excludes nothing. */
export async function store(kind: Kind, driver: StoreDriver): Promise<void> {
  await driver.applyOne(storingCalendar(without()));
  const definition = definitionOf(kind);
  if (kind === 'chain') await driver.schedule(job('first'), hourly('first'));
  await driver.schedule(definition.job, ...definition.triggers);
}

/** Stores the definitions again, with other texts and by `times` with other fire times. */
export async function change(kind: Kind, driver: StoreDriver, times: (trigger: SimpleTrigger) => SimpleTrigger) {
  const { job: detail, triggers } = definitionOf(kind);
  await driver.apply(
    { type: 'storeJob', job: { ...detail, description: 'changed' }, ifExists: 'replace', requireTrigger: false },
    ...triggers.map((trigger) => {
      const changed = trigger.kind === 'SIMPLE' ? times(trigger) : { ...trigger, after: [jobKey('other')] };
      return { ...storing({ ...changed, jobKey: detail.key }), ifExists: 'replace' } as const;
    }),
  );
}

/** Twice as often. A one-off stays as it is. */
export const moreOften = (trigger: SimpleTrigger): SimpleTrigger =>
  trigger.repeatCount === 0 ? trigger : { ...trigger, repeatInterval: HOUR / 2 };

/** From an hour later on. */
export const later = (trigger: SimpleTrigger): SimpleTrigger => ({ ...trigger, startTime: trigger.startTime + HOUR });

/** A calendar that excludes the rest of the day. */
export const HOLIDAY = { ...storingCalendar(without('2026-01-01'), 'replace'), allowEnding: true };

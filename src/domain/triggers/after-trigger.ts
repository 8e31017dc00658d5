import { OF_TRIGGERS as OF_FIRE_TIMES } from '../execution-policy';
import { compareKeys, DEFAULT_GROUP, type JobKey, keyText } from '../keys';
import type { AfterTrigger, ChainOutcome } from '../trigger';
import type { TriggerBehaviour } from './behaviour';
import { walkedSequence } from './fire-time-sequence';
import { invalidTrigger, requireInteger, validateCommon } from './validation';

/** Maximum number of jobs that one AFTER trigger can wait for. */
const MAX_PARENTS = 100;
/** Maximum length of the result of `parentsText`, in characters: the size of two columns of Quartz's tables. */
const MAX_TEXT = 1_024;
/** Maximum number of ended runs that are counted for each job until a firing uses them. */
export const MAX_ENDED = 9_999;

const OUTCOMES: readonly unknown[] = ['success', 'failure', 'end'];

const never = () => null;

/** Returns the jobs in their stored form: a JSON array of [name], or [name, group] for groups other than DEFAULT. */
export function parentsText(after: readonly JobKey[]): string {
  return JSON.stringify(after.map(({ name, group }) => (group === DEFAULT_GROUP ? [name] : [name, group])));
}

export function waitingFor(
  jobs: readonly JobKey[],
  on: ChainOutcome,
): Pick<AfterTrigger, 'kind' | 'after' | 'on' | 'ended' | 'timesTriggered' | 'misfireInstruction'> {
  const after = [...jobs].sort(compareKeys);
  return { kind: 'AFTER', after, on, ended: after.map(() => 0), timesTriggered: 0, misfireInstruction: 'SMART_POLICY' };
}

export const afterBehaviour: TriggerBehaviour<AfterTrigger> = {
  validate(trigger) {
    const { on, endTime, calendarName } = trigger;
    validateCommon(trigger);
    validateParents(trigger);
    if (!OUTCOMES.includes(on)) throw invalidTrigger(trigger, 'on', 'one of success, failure, end', on);
    for (const [field, given] of Object.entries({ endTime, calendarName })) {
      if (given !== null) throw invalidTrigger(trigger, field, 'null (a trigger with after has no fire times)', given);
    }
    for (const field of OF_FIRE_TIMES) {
      const given = trigger.policy?.[field];
      if (given !== undefined)
        throw invalidTrigger(trigger, field, 'absent (a trigger with after has no fire times)', given);
    }
  },
  firstFireTime: never,
  fireTimeAfter: never,
  fireTimes: () => walkedSequence(never),
  finalFireTime: never,
};

function validateParents(trigger: AfterTrigger): void {
  const { after, ended } = trigger;
  const isList = Array.isArray(after) && after.length > 0 && after.length <= MAX_PARENTS;
  const found = Array.isArray(after) ? after.length : after;
  if (!isList) throw invalidTrigger(trigger, 'after', `from 1 to ${MAX_PARENTS} jobs`, found);
  if (new Set(after.map(keyText)).size < after.length) throw invalidTrigger(trigger, 'after', 'distinct jobs', after);
  const isOrdered = after.every((key, index) => index === 0 || compareKeys(after[index - 1] ?? key, key) < 0);
  if (!isOrdered) throw invalidTrigger(trigger, 'after', 'jobs sorted by key', after);
  if (!Array.isArray(ended) || ended.length !== after.length) {
    throw invalidTrigger(trigger, 'ended', 'a number for each job that it waits for', ended);
  }
  for (const count of ended) requireInteger(trigger, 'ended', count, { min: 0, max: MAX_ENDED });
  const { length } = [...parentsText(after)];
  if (length > MAX_TEXT)
    throw invalidTrigger(trigger, 'after', `jobs whose names take at most ${MAX_TEXT} characters`, length);
}

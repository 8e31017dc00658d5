import { SchedulerError } from '../base/errors';
import { invalidArgument } from './check-text';

/**
 * Rules for fire times, where Quartz's own rules fire a job unasked. `quartz`: exactly as Quartz 2.3, as the golden rows show.
 * `safe`: nothing fires after its end, at an excluded time, or for a time before the schedule was stored or changed, unless a user requests it.
 * All nodes of a scheduler have the same rules: the first node stores them, and a node with others is refused.
 */
export type Rules = 'safe' | 'quartz';

export const DEFAULT_RULES: Rules = 'safe';

/** Rules for fire times that all nodes of a scheduler share (`scheduler.rules` and `scheduler.clockChanges`). */
export interface SchedulerRules {
  readonly rules: Rules;
  /** Clock changes of cron triggers that are stored without their own. */
  readonly clockChanges: ClockChanges;
}

interface RulesPolicy {
  readonly rules?: Rules;
  readonly defaultClockChanges?: ClockChanges;
}

/** Returns the rules in the policy of a scheduler, with their defaults. */
export function rulesIn({ rules = DEFAULT_RULES, defaultClockChanges = 'quartz' }: RulesPolicy): SchedulerRules {
  return { rules, clockChanges: defaultClockChanges };
}

/** Returns the policy of a scheduler with other rules. */
export function withRules<Policy extends RulesPolicy>(policy: Policy, { rules, clockChanges }: SchedulerRules): Policy {
  return { ...policy, rules, defaultClockChanges: clockChanges };
}

export function sameRules(a: SchedulerRules, b: SchedulerRules): boolean {
  return a.rules === b.rules && a.clockChanges === b.clockChanges;
}

/**
 * Throws CONFIGURATION if the rules of a node are not those that its scheduler has stored: two nodes would compute different fire times for one
 * trigger, and store a declared trigger differently at each start.
 */
export function requireSameRules(stored: SchedulerRules, own: SchedulerRules, schedulerName: string): void {
  const differing = (['rules', 'clockChanges'] as const).filter((each) => stored[each] !== own[each]);
  if (differing.length === 0) return;
  const valuesOf = (rules: SchedulerRules) =>
    differing.map((each) => `scheduler.${each}: '${rules[each]}'`).join(' and ');
  const command = `quartz rules set ${own.rules}${differing.includes('clockChanges') ? ` --clock-changes ${own.clockChanges}` : ''}`;
  throw new SchedulerError(
    'CONFIGURATION',
    `Expected ${valuesOf(stored)}, as in the database of the scheduler '${schedulerName}', found ${valuesOf(own)}. ` +
      `Set the stored value on this node. To change the rules of all nodes, stop them and run \`${command}\`.`,
  );
}

/**
 * Effect of clock changes on a cron trigger. `quartz`: a skipped time of day does not fire, a repeated one fires at its second occurrence.
 * `natural`: fixed hours fire once, after the gap or at the first occurrence. Hours written with `*` or `/` continue through both occurrences.
 */
export type ClockChanges = 'quartz' | 'natural';

/** Validates a value of `scheduler.rules`. Throws INVALID_ARGUMENT. */
export function checkRules(given: unknown): Rules {
  if (given === 'safe' || given === 'quartz') return given;
  throw invalidArgument("'safe' or 'quartz' as the rules", given);
}

/** Validates a value of `clockChanges`. Throws INVALID_ARGUMENT. */
export function checkClockChanges(given: unknown, owner: string): ClockChanges {
  if (given === 'quartz' || given === 'natural') return given;
  throw invalidArgument(`'quartz' or 'natural' as clockChanges of ${owner}`, given);
}

/** Rule that differs from Quartz under `safe`: its name, and both behaviours in one sentence each. */
interface RuleDifference {
  readonly name: string;
  readonly quartz: string;
  readonly safe: string;
}

/** Every rule that `safe` changes. The guide for those who come from Quartz lists them. */
export const RULE_DIFFERENCES: readonly RuleDifference[] = [
  {
    name: 'end times',
    quartz:
      'cron and daily-interval triggers include the end time, simple and calendar-interval triggers exclude it; a daily interval fires after it until the day ends; a misfired trigger fires after it',
    safe: 'every kind fires at its end time and never after it; a trigger that would never fire is refused',
  },
  {
    name: 'final fire times',
    quartz:
      'the final fire time of a cron trigger is unknown, and that of other kinds can be a time at which the trigger does not fire',
    safe: 'it is the last time at which the trigger fires',
  },
  {
    name: 'start times in the past',
    quartz: 'a new or changed trigger with an earlier start fires for fire times before it was stored',
    safe: 'a schedule counts from the time it was stored or changed; an interval keeps its phase',
  },
  {
    name: 'misfires at excluded times',
    quartz: 'a misfired trigger fires at once, whatever its calendar and its hours of the day',
    safe: 'it fires at the next time that the calendar includes and that is within its hours',
  },
  {
    name: 'changed calendars',
    quartz: 'a change of a calendar drops due fire times, or adds earlier ones',
    safe: 'a due fire time that the calendar includes stays due and follows the misfire instruction; no earlier one is added',
  },
  {
    name: 'clock changes',
    quartz:
      'an interval of days can lose its time of day, and P1M its day 31; a search from within a repeated hour, or over a gap of half an hour, can skip a fire time',
    safe: 'an interval keeps its day and time of day wherever they exist; a search finds the same fire time wherever it begins',
  },
  {
    name: 'W in short months',
    quartz: '31W can match the 30th of a month without a 31st',
    safe: 'a day that the month does not have matches nothing',
  },
  {
    name: 'midnight in daily calendars',
    quartz: 'a DailyCalendar always excludes 00:00:00.000 and 23:59:59.999',
    safe: 'it excludes its range only',
  },
  {
    name: 'hours of one instant',
    quartz: 'a daily interval whose hours begin and end at the same time can skip its first day',
    safe: 'it fires at that time on each day',
  },
];

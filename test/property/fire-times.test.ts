import fc from 'fast-check';
import { nextPossiblyIncluded } from '../../src/domain/calendars/chained-calendar';
import { afterMisfire } from '../../src/domain/misfire';
import { newCalendarTimes } from '../../src/domain/new-calendar';
import type { Trigger } from '../../src/domain/trigger';
import {
  afterFiring,
  computeFireTimes,
  computeFireTimesBetween,
  fireTimeAfter,
  includedFireTimeAfter,
  scheduled,
} from '../../src/domain/trigger-behaviour';
import { runsOf } from '../support/long-forms';
import { DAY, type FireTimeCase, fireTimeCases, HOUR, MINUTE } from './fire-time-cases';
import { firstIncludedSlowly, includedBetween, onNewCalendarSlowly, type Verdict } from './slow-oracle';

/*
 * No included fire time is ever skipped. `npm run test:fire-times` runs 20,000 cases; FIRE_TIME_CASES sets another number and
 * SEED repeats a run.
 */

const CASES = Number(process.env.FIRE_TIME_CASES ?? runsOf(300));
const SEED = Number(process.env.SEED ?? Date.now() & 0x7fff_ffff);
const FIRINGS = 5;

/** Number of answers that the oracle knew, and of those that it did not know. */
const known = { yes: 0, no: 0 };

/** Compares an answer with the verdict of the oracle. */
function check(answer: number | null, verdict: Verdict): void {
  if ('found' in verdict) {
    known.yes++;
    expect(iso(answer)).toBe(iso(verdict.found));
  } else {
    known.no++;
    expect(answer === null || answer > verdict.nothingUpTo).toBe(true);
  }
}

function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

/** Checks a property for all cases, and prints the progress of a long run. */
function forAllCases(what: string, property: (each: FireTimeCase) => void): void {
  let done = 0;
  const isLong = CASES > 300;
  process.stdout.write(`${what}: SEED=${SEED}, ${CASES} cases\n`);
  const told = (each: FireTimeCase) => {
    property(each);
    if (++done % 500 === 0 && isLong) process.stdout.write(`\r${what}: ${done} of ${CASES}`);
  };
  fc.assert(fc.property(fireTimeCases, told), { numRuns: CASES, seed: SEED });
  if (isLong) process.stdout.write('\n');
}

/** First fire time without a calendar. */
function first(trigger: Trigger): number | null {
  return scheduled(trigger, null).nextFireTime;
}

const LONG = 1_800_000;

describe(`fire times around clock changes (SEED=${SEED})`, () => {
  it(
    'equal those of a step-by-step search, firing by firing',
    () => {
      forAllCases('firings', ({ trigger, calendar }) => {
        let next = scheduled(trigger, calendar);
        check(next.nextFireTime, firstIncludedSlowly(next, calendar, first(trigger)));
        const times: (number | null)[] = [next.nextFireTime];
        for (let i = 1; i < FIRINGS && next.nextFireTime !== null; i++) {
          const after = afterFiring(next, null).nextFireTime;
          next = afterFiring(next, calendar);
          times.push(next.nextFireTime);
          check(next.nextFireTime, firstIncludedSlowly(trigger, calendar, after));
        }
        const all = times.filter((time) => time !== null);
        expect(computeFireTimes(trigger, calendar, times.length)).toEqual(all);
      });
    },
    LONG,
  );

  it(
    'are found by searches after a misfire, on a new calendar and after a given time',
    () => {
      forAllCases('searches', ({ trigger, calendar, change }) => {
        const due = { ...scheduled(trigger, null), misfireInstruction: 'DO_NOTHING' } as Trigger;
        const now = Math.max(change - HOUR, trigger.startTime) + 17;
        if (trigger.kind !== 'SIMPLE' && due.nextFireTime !== null) {
          const missed = afterMisfire(due, now, calendar).nextFireTime;
          check(missed, firstIncludedSlowly(trigger, calendar, fireTimeAfter(trigger, now)));
        }
        const fired = { ...trigger, previousFireTime: first(trigger), nextFireTime: now };
        const clock = { now, misfireThreshold: MINUTE };
        const onNew = newCalendarTimes(calendar, clock.now, clock.misfireThreshold, 'quartz')(fired);
        check(onNew, onNewCalendarSlowly(fired, calendar, clock));

        const last = Math.floor(now / 1_000) * 1_000;
        const again = includedFireTimeAfter(trigger, calendar, last);
        check(again, firstIncludedSlowly(trigger, calendar, fireTimeAfter(trigger, last)));
      });
    },
    LONG,
  );

  it(
    'between two times equal the firings between them, both ends included',
    () => {
      forAllCases('between', ({ trigger, calendar, change }) => {
        const times = computeFireTimes(trigger, calendar, 40);
        const [from, to] = [times[3], times[12]];
        if (from === undefined || to === undefined || to - trigger.startTime > 400 * DAY) return;
        known.yes++;
        expect(computeFireTimesBetween(trigger, calendar, { from: from, to: to })).toEqual(times.slice(3, 13));
        const within = times.filter((time) => time >= change - HOUR && time <= change + HOUR);
        if ((times.at(-1) as number) <= change + HOUR && times.length === 40) return;
        expect(computeFireTimesBetween(trigger, calendar, { from: change - HOUR, to: change + HOUR })).toEqual(within);
      });
    },
    LONG,
  );

  it(
    'are not skipped: a calendar includes no time before its next candidate',
    () => {
      forAllCases('bounds', ({ calendar, trigger, change }) => {
        for (const start of [trigger.startTime, change - HOUR, change - 1, change]) {
          let time = start;
          for (let leap = 0; leap < 3; leap++) {
            const next = nextPossiblyIncluded(calendar, time) as number;
            expect(next).toBeGreaterThan(time);
            const beginning = includedBetween(calendar, time, Math.min(next, time + 5 * MINUTE));
            const ending = includedBetween(calendar, Math.max(time, next - 5 * MINUTE), next);
            expect([iso(beginning), iso(ending)]).toEqual([null, null]);
            time = next;
          }
        }
      });
    },
    LONG,
  );

  it('are known to the oracle in nearly all cases', () => {
    process.stdout.write(`the oracle knew ${known.yes} of ${known.yes + known.no} answers\n`);
    expect(known.yes).toBeGreaterThan(known.no * 10);
  });
});

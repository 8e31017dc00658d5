import type { IntervalMisfireInstruction, SimpleMisfireInstruction } from './trigger';

/** What to do with missed fire times, in the words of the short form. */
export type MisfireWord = 'fire' | 'skip' | 'all';

/** `fire`: one at once for all that was missed; `skip`: go on with the next; `all`: one for each. */
export const SIMPLE_MISFIRE: Readonly<Record<MisfireWord, SimpleMisfireInstruction>> = {
  fire: 'FIRE_NOW',
  skip: 'RESCHEDULE_NEXT_WITH_REMAINING_COUNT',
  all: 'IGNORE_MISFIRE_POLICY',
};

/** The same for all other kinds of trigger. */
export const INTERVAL_MISFIRE: Readonly<Record<MisfireWord, IntervalMisfireInstruction>> = {
  fire: 'FIRE_ONCE_NOW',
  skip: 'DO_NOTHING',
  all: 'IGNORE_MISFIRE_POLICY',
};

export function isMisfireWord(word: string): word is MisfireWord {
  return Object.hasOwn(SIMPLE_MISFIRE, word);
}

import type { IntervalMisfireInstruction, SimpleMisfireInstruction, Trigger, TriggerKind } from './trigger';

type InstructionOf<K extends TriggerKind> = (Trigger & { readonly kind: K })['misfireInstruction'];

const INTERVAL_CODES = {
  IGNORE_MISFIRE_POLICY: -1,
  SMART_POLICY: 0,
  FIRE_ONCE_NOW: 1,
  DO_NOTHING: 2,
} as const satisfies Record<IntervalMisfireInstruction, number>;

/** Misfire instructions per trigger kind, with the numbers that Quartz stores in MISFIRE_INSTR. */
export const MISFIRE_CODES = {
  SIMPLE: {
    IGNORE_MISFIRE_POLICY: -1,
    SMART_POLICY: 0,
    FIRE_NOW: 1,
    RESCHEDULE_NOW_WITH_EXISTING_REPEAT_COUNT: 2,
    RESCHEDULE_NOW_WITH_REMAINING_REPEAT_COUNT: 3,
    RESCHEDULE_NEXT_WITH_REMAINING_COUNT: 4,
    RESCHEDULE_NEXT_WITH_EXISTING_COUNT: 5,
  } satisfies Record<SimpleMisfireInstruction, number>,
  CRON: INTERVAL_CODES,
  CAL_INT: INTERVAL_CODES,
  DAILY_I: INTERVAL_CODES,
  AFTER: { SMART_POLICY: 0 },
} as const;

const INSTRUCTIONS = new Map(
  Object.entries(MISFIRE_CODES).map(([kind, codes]) => [
    kind,
    new Map(Object.entries(codes).map(([instruction, code]) => [code, instruction])),
  ]),
);

export function misfireCodeOf<K extends TriggerKind>(kind: K, instruction: InstructionOf<K>): number {
  const codes: Readonly<Record<string, number>> = MISFIRE_CODES[kind];
  return codes[instruction] as number;
}

/** Returns the misfire instruction for a stored number, or null if the trigger kind has no such instruction. */
export function misfireInstructionOf<K extends TriggerKind>(kind: K, code: number): InstructionOf<K> | null {
  return (INSTRUCTIONS.get(kind)?.get(code) ?? null) as InstructionOf<K> | null;
}

/** Short misfire instruction. `fire`: one run now for all missed times. `skip`: continue with the next time. `all`: one run for each missed time. */
export type MisfireWord = 'fire' | 'skip' | 'all';

export const SIMPLE_MISFIRE: Readonly<Record<MisfireWord, SimpleMisfireInstruction>> = {
  fire: 'FIRE_NOW',
  skip: 'RESCHEDULE_NEXT_WITH_REMAINING_COUNT',
  all: 'IGNORE_MISFIRE_POLICY',
};

/** Misfire instructions of cron, calendar-interval and daily-interval triggers, by short form. */
export const INTERVAL_MISFIRE: Readonly<Record<MisfireWord, IntervalMisfireInstruction>> = {
  fire: 'FIRE_ONCE_NOW',
  skip: 'DO_NOTHING',
  all: 'IGNORE_MISFIRE_POLICY',
};

export function isMisfireWord(word: string): word is MisfireWord {
  return Object.hasOwn(SIMPLE_MISFIRE, word);
}

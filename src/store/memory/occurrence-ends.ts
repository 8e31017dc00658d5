import { type Completion, endedRunsOf } from '../../domain/completion';
import type { SimpleTrigger } from '../../domain/trigger';
import type { MemoryTables } from './memory-tables';

const NONE: readonly SimpleTrigger[] = [];

/** What follows from the end of a run that something waits for: the triggers of the further runs that it starts. */
export function settleEnds(_tables: MemoryTables, completion: Completion): readonly SimpleTrigger[] {
  const ended = endedRunsOf([completion]);
  if (ended.length === 0) return NONE;
  return NONE;
}

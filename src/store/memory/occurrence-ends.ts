import { planChains } from '../../domain/chain';
import { type Completion, type EndedRun, endedRunsOf } from '../../domain/completion';
import { keyText } from '../../domain/keys';
import type { SimpleTrigger } from '../../domain/trigger';
import type { MemoryTables } from './memory-tables';

/** Updates the triggers that wait for ended runs. Returns the triggers of the further runs that start as a result. */
export function startFurtherRuns(
  tables: MemoryTables,
  completions: readonly Completion[],
  endedOccurrences: readonly EndedRun[],
): readonly SimpleTrigger[] {
  const ended = [...endedRunsOf(completions), ...endedOccurrences];
  const parents = [...new Set(ended.map(({ jobKey }) => keyText(jobKey)))];
  const waiting = parents.flatMap((parent) => tables.followers.of(parent)).filter(({ state }) => state === 'WAITING');
  const chained = waiting.flatMap(({ trigger }) => (trigger.kind === 'AFTER' ? [trigger] : []));
  if (chained.length === 0) return [];
  const { changed, starts } = planChains(chained, ended);
  for (const trigger of changed) {
    const entry = tables.trigger(trigger.key);
    if (entry !== null) tables.updateTrigger(entry, trigger, entry.state);
  }
  return starts;
}

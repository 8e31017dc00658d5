import type { ListedPause } from '../api/reading';
import { compareTexts, GroupMatcher } from '../domain/keys';
import { type ExplainedPause, pauseText } from '../domain/pause';
import { ALL_GROUPS_PAUSED, type ScheduleReader } from '../store/job-store';
import { toListedPause } from './read-methods';

export interface FoundGroup {
  readonly of: 'triggers' | 'jobs';
  readonly name: string;
  readonly isPaused: boolean;
  /** Explanation of the group's pause. Null if the group is not paused as a group, or if its pause has no explanation. */
  readonly pause: ListedPause | null;
}

type GroupReader = Pick<
  ScheduleReader,
  'getTriggerGroupNames' | 'getJobGroupNames' | 'getPausedTriggerGroups' | 'getPauses'
>;

/** Reads trigger groups, including paused groups without triggers, and then job groups, each sorted by name. */
export async function readGroups(store: GroupReader): Promise<readonly FoundGroup[]> {
  const [ofTriggers, ofJobs, paused, pauses] = await Promise.all([
    store.getTriggerGroupNames(),
    store.getJobGroupNames(),
    store.getPausedTriggerGroups(),
    store.getPauses([]), // an empty list selects pauses of groups only
  ]);
  const explained = new Map(pauses.map((pause) => [pauseText(pause.target), pause]));
  const isPaused = new Set(paused);
  const all = isPaused.delete(ALL_GROUPS_PAUSED);
  const found = (of: FoundGroup['of'], name: string): FoundGroup => {
    const pause = pauseOfGroup(explained, of, name);
    const remembered = of === 'triggers' && (all || isPaused.has(name));
    return {
      of,
      name,
      isPaused: remembered || (of === 'jobs' && pause !== null),
      pause: pause && toListedPause(pause),
    };
  };
  const names = [...new Set([...ofTriggers, ...isPaused])].sort(compareTexts);
  const jobs = [...ofJobs].sort(compareTexts);
  return [...names.map((name) => found('triggers', name)), ...jobs.map((name) => found('jobs', name))];
}

function pauseOfGroup(explained: ReadonlyMap<string, ExplainedPause>, kind: FoundGroup['of'], name: string) {
  const matchers = [GroupMatcher.groupEquals(name), GroupMatcher.anyGroup()];
  const [own, all] = matchers.map((matcher) => explained.get(pauseText({ kind, matcher })));
  return own ?? all ?? null;
}

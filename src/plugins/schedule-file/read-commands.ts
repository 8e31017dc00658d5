import { GroupMatcher, type JobKey } from '../../domain/keys';
import type { ScheduleChange } from '../../domain/schedule-change';
import { readKey } from './read-job';
import type { ScheduleFileReading } from './schedule-file-reading';
import type { CommandFields, DirectiveFields, KeyFields } from './schedule-file-schema';

/** Every group. */
const ANY = '*';

/** What a file deletes before it stores anything; groups that are never deleted stay untouched. */
export function readCommands(
  reading: ScheduleFileReading,
  commands: CommandFields,
  directives: DirectiveFields,
): readonly ScheduleChange[] {
  const { jobGroups = [], triggerGroups = [] } = directives.neverDelete ?? {};
  const { deleteJobsInGroup = [], deleteTriggersInGroup = [], deleteJobs = [], deleteTriggers = [] } = commands;
  const keysOf = (field: 'deleteJobs' | 'deleteTriggers', list: readonly KeyFields[], kept: readonly string[]) =>
    list
      .map((each, index) => {
        const what = field === 'deleteJobs' ? 'job' : 'trigger';
        return readKey(reading, each, { path: ['commands', field, index], what });
      })
      .filter((key): key is JobKey => key !== null && !kept.includes(key.group));
  return [
    ...deleteJobsInGroup.map((group) => deleteGroup('deleteJobsInGroup', group, jobGroups)),
    ...deleteTriggersInGroup.map((group) => deleteGroup('deleteTriggersInGroup', group, triggerGroups)),
    ...keysOf('deleteJobs', deleteJobs, jobGroups).map((key): ScheduleChange => ({ type: 'deleteJob', key })),
    ...keysOf('deleteTriggers', deleteTriggers, triggerGroups).map(
      (key): ScheduleChange => ({ type: 'deleteTrigger', key }),
    ),
  ];
}

function deleteGroup(
  type: 'deleteJobsInGroup' | 'deleteTriggersInGroup',
  group: string,
  exceptGroups: readonly string[],
): ScheduleChange {
  const matcher = group === ANY ? GroupMatcher.anyGroup() : GroupMatcher.groupEquals(group);
  return { type, group: matcher, exceptGroups };
}

import type { z } from 'zod';
import type { Operation } from './operation';
import { actionsList } from './table/actions';
import { backfillsAdd, backfillsDrop, backfillsList } from './table/backfills';
import { jobsRemoveMany, triggersPauseMany, triggersRemoveMany, triggersResumeMany } from './table/bulk';
import {
  calendarsAdd,
  calendarsEdit,
  calendarsList,
  calendarsRemove,
  calendarsShow,
  calendarsYear,
} from './table/calendars';
import { cronPreview } from './table/cron';
import { deadLettersDiscard, deadLettersList, deadLettersRerun, deadLettersSetRetries } from './table/dead-letters';
import { doctorCheck, doctorFacts, doctorRepair } from './table/doctor';
import { firingsInterrupt, firingsList, occurrencesList, overdueList } from './table/firings';
import { groupsList, groupsPause, groupsResume } from './table/groups';
import { jobsFire, jobsInterrupt, jobsPause, jobsResume } from './table/job-actions';
import { jobsAdd, jobsEdit, jobsRemove } from './table/job-changes';
import { jobsList, jobsShow } from './table/jobs';
import { nodesDrain, nodesList, nodesUndrain } from './table/nodes';
import { overridesDrop, overridesList } from './table/overrides';
import { overviewShow } from './table/overview';
import { pausesList, schedulerPauseAll, schedulerResumeAll } from './table/pauses';
import { rulesSet, rulesShow } from './table/rules';
import { runsList, runsRerun, runsShow } from './table/runs';
import { scheduleApply, schedulePlan } from './table/schedule';
import { schedulerShow } from './table/scheduler';
import { timelineShow } from './table/timeline';
import { triggersPause, triggersReset, triggersResume } from './table/trigger-actions';
import { triggersAdd, triggersEdit, triggersRemove } from './table/trigger-changes';
import { triggersExplain } from './table/trigger-explanation';
import { triggersList, triggersShow } from './table/triggers';

/** All operations by name. The names never change. */
export const OPERATIONS = {
  'jobs.list': jobsList,
  'jobs.show': jobsShow,
  'jobs.add': jobsAdd,
  'jobs.edit': jobsEdit,
  'jobs.remove': jobsRemove,
  'jobs.fire': jobsFire,
  'jobs.pause': jobsPause,
  'jobs.resume': jobsResume,
  'jobs.interrupt': jobsInterrupt,
  'triggers.list': triggersList,
  'triggers.show': triggersShow,
  'triggers.explain': triggersExplain,
  'triggers.add': triggersAdd,
  'triggers.edit': triggersEdit,
  'triggers.remove': triggersRemove,
  'triggers.pause': triggersPause,
  'triggers.resume': triggersResume,
  'triggers.reset': triggersReset,
  'triggers.pauseMany': triggersPauseMany,
  'triggers.resumeMany': triggersResumeMany,
  'triggers.removeMany': triggersRemoveMany,
  'jobs.removeMany': jobsRemoveMany,
  'calendars.list': calendarsList,
  'calendars.show': calendarsShow,
  'calendars.add': calendarsAdd,
  'calendars.edit': calendarsEdit,
  'calendars.remove': calendarsRemove,
  'calendars.year': calendarsYear,
  'cron.preview': cronPreview,
  'schedule.plan': schedulePlan,
  'schedule.apply': scheduleApply,

  'overrides.list': overridesList,
  'overrides.drop': overridesDrop,

  'nodes.list': nodesList,
  'nodes.drain': nodesDrain,
  'nodes.undrain': nodesUndrain,

  'runs.list': runsList,
  'runs.show': runsShow,
  'runs.rerun': runsRerun,
  'deadLetters.list': deadLettersList,
  'deadLetters.rerun': deadLettersRerun,
  'deadLetters.discard': deadLettersDiscard,
  'deadLetters.setRetries': deadLettersSetRetries,
  'firings.list': firingsList,
  'firings.interrupt': firingsInterrupt,
  'occurrences.list': occurrencesList,
  'overdue.list': overdueList,
  'backfills.list': backfillsList,
  'backfills.add': backfillsAdd,
  'backfills.drop': backfillsDrop,

  'scheduler.show': schedulerShow,
  'rules.show': rulesShow,
  'rules.set': rulesSet,
  'overview.show': overviewShow,
  'doctor.check': doctorCheck,
  'doctor.facts': doctorFacts,
  'doctor.repair': doctorRepair,
  'timeline.show': timelineShow,
  'scheduler.pauseAll': schedulerPauseAll,
  'scheduler.resumeAll': schedulerResumeAll,
  'pauses.list': pausesList,
  'groups.list': groupsList,
  'groups.pause': groupsPause,
  'groups.resume': groupsResume,

  'actions.list': actionsList,
} as const satisfies Readonly<Record<string, Operation<z.ZodObject, z.ZodType>>>;

export type OperationName = keyof typeof OPERATIONS;

/** Input of an operation, before defaults are applied. */
export type InputOf<Name extends OperationName> = z.input<(typeof OPERATIONS)[Name]['input']>;

export type OutputOf<Name extends OperationName> = z.output<(typeof OPERATIONS)[Name]['output']>;

export function allOperations(): readonly (readonly [OperationName, Operation])[] {
  return Object.entries(OPERATIONS) as unknown as readonly (readonly [OperationName, Operation])[];
}

import { DATABASE_FAULTS, type DatabaseFault } from '../store/database-examiner';

/** Section of each finding, by its id. Ids never change. */
export const SECTIONS = {
  storeFailure: 'store',
  ...DATABASE_FAULTS,
  notReady: 'cluster',
  nodesSilent: 'cluster',
  nodesHoldBack: 'cluster',
  nodesRefuseJobs: 'cluster',
  javaNodes: 'cluster',
  rulesBesideJava: 'cluster',
  dataBesideJava: 'cluster',
  versions: 'cluster',
  timeZoneData: 'cluster',
  clock: 'cluster',
  nodeClocks: 'cluster',
  workers: 'cluster',
  orphans: 'cluster',
  backlog: 'schedule',
  jobTypes: 'schedule',
  triggersInError: 'schedule',
  endedByCalendar: 'schedule',
  stuckTriggers: 'schedule',
  unreadable: 'schedule',
  missingChainJobs: 'schedule',
  limitKeys: 'schedule',
  deadLetters: 'schedule',
} as const;

/** Sections of the doctor's report, in the order of display. */
export const FINDING_SECTIONS = [
  'store',
  'schema',
  'statements',
  'server',
  'connections',
  'cluster',
  'schedule',
] as const;

export const FINDING_IDS = Object.keys(SECTIONS) as (keyof typeof SECTIONS)[];

/** Findings that `doctor.repair` can fix. */
export const REPAIRS = ['triggersInError', 'stuckTriggers', 'missingIndexes', 'largeLog'] as const;

export interface Finding extends Draft {
  readonly id: keyof typeof SECTIONS;
  readonly section: (typeof FINDING_SECTIONS)[number];
  readonly isRepairable: boolean;
}

/** A finding before `findFaults` adds its id and section. */
export type Draft = Omit<DatabaseFault, 'id'>;

/** Returns the draft of a finding about `count` items, or null if there are none. */
export function draftOf(count: number, draft: Draft): Draft | null {
  return count === 0 ? null : draft;
}

export type Drafts = Readonly<Partial<Record<Finding['id'], Draft | null>>>;

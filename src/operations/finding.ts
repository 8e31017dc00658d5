import { DATABASE_FAULTS, type DatabaseFault } from '../store/database-examiner';

/** Ids of findings by section of the doctor's report, except database faults. Ids never change. */
const IDS = {
  store: ['storeFailure'],
  cluster: [
    'notReady',
    'nodesSilent',
    'nodesHoldBack',
    'javaNodes',
    'versions',
    'clock',
    'nodeClocks',
    'workers',
    'orphans',
  ],
  schedule: [
    'backlog',
    'jobTypes',
    'triggersInError',
    'stuckTriggers',
    'unreadable',
    'missingChainJobs',
    'limitKeys',
    'deadLetters',
  ],
} as const;

const SECTIONS: Readonly<Partial<Record<(typeof DATABASE_FAULTS)[number], Section>>> = {
  statementPlans: 'statements',
  serverVersion: 'server',
  replication: 'server',
  binlogFormat: 'server',
  readOnly: 'server',
  durability: 'server',
  connectionLimit: 'server',
  largeLog: 'server',
  isolation: 'connections',
  sessionSettings: 'connections',
  connectionsBusy: 'connections',
};

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
type Section = (typeof FINDING_SECTIONS)[number];

/** Ids of all findings. They never change. */
export const FINDING_IDS = [...IDS.store, ...DATABASE_FAULTS, ...IDS.cluster, ...IDS.schedule] as const;

/** Findings that `doctor.repair` can fix. */
export const REPAIRS = ['triggersInError', 'stuckTriggers', 'missingIndexes', 'largeLog'] as const;

export interface Finding extends Draft {
  readonly id: (typeof FINDING_IDS)[number];
  readonly section: Section;
  readonly isRepairable: boolean;
}

/** A finding before `findFaults` adds its id and section. */
export type Draft = Omit<DatabaseFault, 'id'>;

/** Returns the draft of a finding about `count` items, or null if there are none. */
export function draftOf(count: number, draft: Draft): Draft | null {
  return count === 0 ? null : draft;
}

export type Drafts = Readonly<Partial<Record<Finding['id'], Draft | null>>>;

export function sectionOf(id: Finding['id']): Section {
  const own = (Object.keys(IDS) as (keyof typeof IDS)[]).find((section) => IDS[section].some((each) => each === id));
  return own ?? SECTIONS[id as (typeof DATABASE_FAULTS)[number]] ?? 'schema';
}

import { DATABASE_FAULTS } from '../store/database-examiner';

/** What may be found, by the part of the doctor's picture that it belongs to. Names are stable for ever. */
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

/** Of the database's faults, those that are not of its tables. */
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

/** The parts of the picture, in the order in which they are shown. */
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

/** What may be found. Stable for ever. */
export const FINDING_IDS = [...IDS.store, ...DATABASE_FAULTS, ...IDS.cluster, ...IDS.schedule] as const;

/** What can be repaired from here. */
export const REPAIRS = ['triggersInError', 'stuckTriggers', 'missingIndexes', 'largeLog'] as const;

export interface Finding extends Draft {
  readonly id: (typeof FINDING_IDS)[number];
  readonly section: Section;
  readonly isRepairable: boolean;
}

/** What was found of one thing. */
export interface Draft {
  /** `problem`: something does not fire; `warning`: something may not, before long; `note`: worth to know. */
  readonly severity: 'problem' | 'warning' | 'note';
  readonly expected: string;
  readonly found: string;
  readonly advice: string;
}

export type Drafts = Readonly<Partial<Record<Finding['id'], Draft | null>>>;

/** The part of the picture that a finding belongs to. */
export function sectionOf(id: Finding['id']): Section {
  const own = (Object.keys(IDS) as (keyof typeof IDS)[]).find((section) => IDS[section].some((each) => each === id));
  return own ?? SECTIONS[id as (typeof DATABASE_FAULTS)[number]] ?? 'schema';
}

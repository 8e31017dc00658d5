import type { EpochMs } from '../../../base/clock';
import type { Completion } from '../../../domain/completion';
import type { TriggerFiring } from '../../../domain/firing';
import type { TriggerKey } from '../../../domain/keys';
import type { OrphanedFiredTrigger, PlannedRecovery } from '../../../domain/recovery';
import type { SpreadOccurrence } from '../../../domain/spread-occurrence';
import type { JobRow } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { ScheduleDraft } from './schedule-draft';

/** Completions that a transaction carries out. */
export interface EndedRuns {
  readonly owned: readonly Completion[];
  /** Occurrences that end with them, by the completion of their last part. */
  readonly occurrences: ReadonlyMap<Completion, SpreadOccurrence>;
  /** Occurrences whose parts are stored with them. */
  readonly begun: readonly SpreadOccurrence[];
  /** Keys of the further runs that are stored with them. */
  readonly stored: ReadonlySet<string>;
}

/** Occurrences that end although no completion ends their last part. */
export interface SettledEnds {
  readonly ended: readonly SpreadOccurrence[];
  /** The completion that the ends are reported with. */
  readonly by?: Completion | undefined;
  /** Earliest fire time of triggers that waited for these ends; undefined: none waited. */
  readonly earliest: EpochMs | undefined;
}

/** A trigger that has been deleted. */
export interface RemovedTrigger {
  readonly key: TriggerKey;
  /** Its last firing, where it ended with one. */
  readonly firing: TriggerFiring | null;
}

/** The job of a firing; its columns are null where it is not stored. */
export type StoredJob = Pick<JobRow, 'DETAIL_DATA'> & {
  readonly POSITION: number;
  readonly JOB_NAME: string | null;
  readonly JOB_CLASS_NAME: string | null;
};

/** Firings of a node that died, with the rows stored beside each. */
export interface OrphanedFirings {
  readonly instanceId: string;
  readonly firings: readonly OrphanedFiredTrigger[];
  /** Stored data of the triggers, by run id. */
  readonly storedData: ReadonlyMap<string, Uint8Array | null>;
  /** One for each firing, in the same order. */
  readonly jobRows: readonly StoredJob[];
}

/**
 * A feature whose rows hang on the life of triggers. Each hook runs in the transaction of the event, under its locks, and sends nothing
 * where the feature is not used. Hooks of one event run in the order of the list in `extensions.ts`.
 */
export interface Extension {
  /** A change set is about to be stored; the hook may add triggers to it. Hooks run one after the other. */
  storing?(tx: SqlTransaction, node: SqlNode, draft: ScheduleDraft): Promise<unknown>;
  /** A change set has stored and deleted jobs, triggers and calendars. Hooks run one after the other. */
  stored?(tx: SqlTransaction, node: SqlNode, draft: ScheduleDraft, now: EpochMs): Promise<unknown>;
  /** The change set may make stored triggers due on other nodes or earlier. */
  isRequeued?(draft: ScheduleDraft): boolean;
  /** Runs end; written together with the deletion of their fired rows. Hooks run at once. */
  ended?(tx: SqlTransaction, node: SqlNode, runs: EndedRuns): Promise<unknown>;
  /** Runs have ended. Returns the earliest fire time of triggers that may fire because of it. Hooks run at once. */
  freed?(tx: SqlTransaction, node: SqlNode, runs: EndedRuns): Promise<EpochMs | undefined>;
  /** All of the above is written. Returns further ends that follow. */
  settled?(tx: SqlTransaction, node: SqlNode, runs: EndedRuns): Promise<SettledEnds>;
  /** Triggers have been deleted with their last firing. Hooks run at once. */
  removed?(tx: SqlTransaction, node: SqlNode, triggers: readonly RemovedTrigger[]): Promise<unknown>;
  /** A node's firings have been recovered; `recoveries` are stored. Hooks run one after the other. */
  recovered?(
    tx: SqlTransaction,
    node: SqlNode,
    orphaned: OrphanedFirings,
    recoveries: readonly PlannedRecovery[],
  ): Promise<SettledEnds | undefined>;
}

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
  /** Earliest fire time of triggers that waited for these ends; undefined if none waited. */
  readonly earliest: EpochMs | undefined;
}

/** A trigger that has been deleted. */
export interface RemovedTrigger {
  readonly key: TriggerKey;
  /** Its last firing, if the trigger ended with one. */
  readonly firing: TriggerFiring | null;
}

/** Job of a firing. All columns except POSITION are null if the job is not stored. */
export type StoredJob = Pick<JobRow, 'DETAIL_DATA'> & {
  readonly POSITION: number;
  readonly JOB_NAME: string | null;
  readonly JOB_CLASS_NAME: string | null;
};

/** Firings of a node that died, with their stored data and jobs. */
export interface OrphanedFirings {
  readonly instanceId: string;
  readonly firings: readonly OrphanedFiredTrigger[];
  /** Stored data of the triggers, by run id. */
  readonly storedData: ReadonlyMap<string, Uint8Array | null>;
  /** One for each firing, in the same order. */
  readonly jobRows: readonly StoredJob[];
}

/**
 * A feature whose rows follow the life of triggers. Each hook runs in the transaction of the event, under its locks, and sends no statement if
 * the feature is not used. The hooks of one event run in the order of the list in `extensions.ts`.
 */
export interface Extension {
  /** Called before a change set is stored; may add triggers to it. Hooks run one after the other. */
  storing?(tx: SqlTransaction, node: SqlNode, draft: ScheduleDraft): Promise<unknown>;
  /** Called after a change set has stored and deleted jobs, triggers and calendars. Hooks run one after the other. */
  stored?(tx: SqlTransaction, node: SqlNode, draft: ScheduleDraft, now: EpochMs): Promise<unknown>;
  /** True if the change set may make stored triggers due on other nodes or earlier. */
  isRequeued?(draft: ScheduleDraft): boolean;
  /** Called while runs end, together with the deletion of their fired triggers. Hooks run concurrently. */
  ended?(tx: SqlTransaction, node: SqlNode, runs: EndedRuns): Promise<unknown>;
  /** Called after runs have ended. Returns the earliest fire time of triggers that may fire because of it. Hooks run concurrently. */
  freed?(tx: SqlTransaction, node: SqlNode, runs: EndedRuns): Promise<EpochMs | undefined>;
  /** Called after all of the above is written. Returns further ends that follow. */
  settled?(tx: SqlTransaction, node: SqlNode, runs: EndedRuns): Promise<SettledEnds>;
  /** Called when triggers are deleted with their last firing. Hooks run concurrently. */
  removed?(tx: SqlTransaction, node: SqlNode, triggers: readonly RemovedTrigger[]): Promise<unknown>;
  /** Called after the firings of a node have been recovered and `recoveries` stored. Hooks run one after the other. */
  recovered?(
    tx: SqlTransaction,
    node: SqlNode,
    orphaned: OrphanedFirings,
    recoveries: readonly PlannedRecovery[],
  ): Promise<SettledEnds | undefined>;
}

import type { EpochMs } from '../../../base/clock';
import type { Completion } from '../../../domain/completion';
import type { TriggerFiring } from '../../../domain/firing';
import type { TriggerKey } from '../../../domain/keys';
import type { OrphanedFiredTrigger, PlannedRecovery } from '../../../domain/recovery';
import type { SpreadOccurrence } from '../../../domain/spread-occurrence';
import type { NodeTransaction } from '../rows/node-transaction';
import type { JobRow, TriggerRow } from '../rows/rows';
import type { ScheduleDraft } from './schedule-draft';

export interface EndedRuns {
  readonly owned: readonly Completion[];
  /** Occurrences with parts (shards) that end in this transaction, by the completion of their last part. */
  readonly occurrences: ReadonlyMap<Completion, SpreadOccurrence>;
  /** Occurrences whose parts (shards) this transaction stores. */
  readonly started: readonly SpreadOccurrence[];
  /** Keys of the stored triggers of further runs, in the form of `keyText`. */
  readonly stored: ReadonlySet<string>;
}

/** Occurrences with parts (shards) that end, although no completion ended their last part. */
export interface IndirectEnds {
  readonly ended: readonly SpreadOccurrence[];
  /** Completion whose outcome reports these ends. Undefined if no completion caused them. */
  readonly by?: Completion | undefined;
  /** Earliest fire time of triggers that waited for these ends; undefined if none waited. */
  readonly earliest: EpochMs | undefined;
}

interface RemovedTrigger {
  readonly key: TriggerKey;
  /** Last firing of the trigger, if its completion deleted the trigger; null otherwise. */
  readonly firing: TriggerFiring | null;
}

/** Firings of a node that died or left, with the stored data of their triggers, and their jobs. */
export interface OrphanedFirings {
  readonly instanceId: string;
  readonly firings: readonly OrphanedFiredTrigger[];
  /** Stored data of the firings' triggers, by run id. */
  readonly storedData: ReadonlyMap<string, Uint8Array | null>;
  /** Triggers now stored under the keys of the firings' triggers, in the same order; null if none is stored. */
  readonly triggerRows: readonly (TriggerRow | null)[];
  /** Jobs of the firings, in the same order; null if the job is not stored. */
  readonly jobRows: readonly (JobRow | null)[];
  /** True if the node has left in order, so that its runs are handed over. */
  readonly isHandedOver: boolean;
}

/**
 * A feature whose rows follow the lifecycle of triggers and runs. Each hook runs in the transaction of its event, under the same locks. A hook sends
 * no statement if the feature is not used. The hooks of one event run in the order of the list in `extensions.ts`.
 */
export interface Extension {
  /** Called before a change set is stored. May add triggers to the change set. Hooks run one after the other. */
  storing?(tx: NodeTransaction, draft: ScheduleDraft): Promise<unknown>;
  /** Called after a change set has stored and deleted jobs, triggers and calendars. Hooks run one after the other. */
  stored?(tx: NodeTransaction, draft: ScheduleDraft, now: EpochMs): Promise<unknown>;
  /** True if the change set may make stored triggers due earlier, or due on other nodes. */
  isRequeued?(draft: ScheduleDraft): boolean;
  /** Called when runs end, concurrently with the other writes for these runs. Hooks run concurrently. */
  ended?(tx: NodeTransaction, runs: EndedRuns): Promise<unknown>;
  /** Called after the writes for ended runs; hooks run concurrently. Returns the earliest fire time that became possible; undefined if none. */
  freed?(tx: NodeTransaction, runs: EndedRuns): Promise<EpochMs | undefined>;
  /** Called after all `freed` hooks. Returns occurrences that end as a consequence. Hooks run one after the other. */
  endedIndirectly?(tx: NodeTransaction, runs: EndedRuns): Promise<IndirectEnds>;
  /** Called when triggers are deleted after their last firing. Hooks may run concurrently. */
  removed?(tx: NodeTransaction, triggers: readonly RemovedTrigger[]): Promise<unknown>;
  /** Called after the firings of a node have been recovered and `recoveries` have been stored. Hooks run one after the other. */
  recovered?(
    tx: NodeTransaction,
    orphaned: OrphanedFirings,
    recoveries: readonly PlannedRecovery[],
  ): Promise<IndirectEnds | undefined>;
}

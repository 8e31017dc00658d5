import type { JobKey, TriggerKey } from '../domain/keys';

/** A stored row that this node cannot understand. */
export interface UnreadableRow {
  readonly what: 'trigger' | 'job' | 'calendar';
  /** Null for a calendar. */
  readonly group: string | null;
  readonly name: string;
  /** What is wrong with it. */
  readonly cause: string;
  /** When this node first met it so. */
  readonly since: Date;
}

/** An execution of a job, on this node or another one. */
export interface ExecutingJob {
  /** Of this firing alone, for `interruptFireInstance`. */
  readonly fireInstanceId: string;
  /** Of the scheduler that runs it. */
  readonly instanceId: string;
  /** The job that runs. */
  readonly jobKey: JobKey;
  /** The trigger that fired. */
  readonly triggerKey: TriggerKey;
  /** When it did fire. */
  readonly fireTime: Date;
  /** When it was to fire. */
  readonly scheduledFireTime: Date;
  /** Whether a firing is run again that another node began and did not end. */
  readonly isRecovering: boolean;
}

/** A scheduler of the cluster. */
export interface NodeInfo {
  /** Its id, unique in the cluster. */
  readonly instanceId: string;
  /** It is the one that was asked. */
  readonly isThisNode: boolean;
  /** A Java node: what it does not tell is null. */
  readonly isJava: boolean;
  /** `overdue`: it has been silent for its detection time, and the others are about to take over what it held. */
  readonly state: 'alive' | 'overdue';
  /** On the store's clock, as all times here. Null where nobody shares the store. */
  readonly lastCheckInTime: Date | null;
  /** Until when what runs there is its own, unless it checks in again before. */
  readonly leaseUntil: Date | null;
  /** When it joined; null: it does not say. */
  readonly startedAt: Date | null;
  /** The version of quartz-ts that it runs. */
  readonly version: string | null;
  /** Name of its machine; null: it does not say. */
  readonly host: string | null;
  /** The number that the system of its machine gives its process, a whole one; null: it does not say. */
  readonly processId: number | null;
  /** What it can run; null: it does not say, because it is a Java node, has an older version, or very many of them. */
  readonly jobTypes: readonly string[] | null;
}

import type { EpochMs } from '../../base/clock';

/** What the process of the demo sends to one of its nodes. */
export type ToNode =
  | { readonly type: 'start' /** A configuration, with its password if there is one. */; readonly config: object }
  | { readonly type: 'stop' };

/** What a node sends back. */
export type FromNode =
  | { readonly type: 'ready' }
  | {
      readonly type: 'started';
      readonly at: EpochMs;
      readonly fireInstanceId: string;
      readonly trigger: string;
      readonly job: string;
      readonly scheduledFireTime: EpochMs;
      /** The firing of a dead node that is run again; null: an ordinary firing. */
      readonly recovers: RecoveredFiring | null;
    }
  | { readonly type: 'ended'; readonly at: EpochMs; readonly fireInstanceId: string }
  | { readonly type: 'peerFailed' | 'peerRecovered'; readonly at: EpochMs; readonly instanceId: string }
  | { readonly type: 'trouble'; readonly at: EpochMs; readonly message: string }
  | { readonly type: 'failed'; readonly message: string };

/** Which firing it was: the name of its trigger, and the time it was scheduled for. */
export interface RecoveredFiring {
  readonly trigger: string;
  readonly scheduledFireTime: EpochMs;
}

import type { GroupMatcher } from '../domain/keys';
import type { TriggerState } from '../domain/trigger-state';
import type { JobKeyLike } from './key-like';

/** A page of a filtered, sorted list. */
export interface PageOptions {
  /** How many to leave out from the beginning; a whole number, 0 or more (default 0). */
  readonly skip?: number;
  /** How many to return; a whole number from 0 to 1,000 (default 100). */
  readonly take?: number;
  /** Only keys whose name or group contains this text. Default: all. */
  readonly search?: string;
  /** From the end of the order. Default: false. */
  readonly descending?: boolean;
}

/** Which jobs to list, and in which order. */
export interface JobListOptions extends PageOptions {
  /** Only of these groups. Default: all. */
  readonly group?: GroupMatcher;
  /** Only of this job type. Default: all. */
  readonly jobType?: string;
  /** Default: `key`, group before name. */
  readonly sort?: 'key' | 'jobType';
}

/** Which triggers to list, and in which order. */
export interface TriggerListOptions extends PageOptions {
  /** Only of these groups. Default: all. */
  readonly group?: GroupMatcher;
  /** Only those of this job. Default: all. */
  readonly jobKey?: JobKeyLike;
  /** Only in one of these states. Default: all. */
  readonly states?: readonly TriggerState[];
  /** Only those that this calendar modifies. Default: all. */
  readonly calendarName?: string;
  /** Default: `key`, group before name. */
  readonly sort?: 'key' | 'nextFireTime' | 'previousFireTime' | 'priority';
}

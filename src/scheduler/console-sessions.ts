import type { EpochMs } from '../base/clock';
import type { ConsoleSession } from '../domain/console-session';
import type { SchedulerParts } from './scheduler-parts';

/** Login sessions of consoles, stored with the scheduler. Each method rejects with SCHEDULER_STATE or STORE_FAILURE. */
export interface ConsoleSessions {
  /** Stores a session. Deletes those that have ended at `now`. */
  beginSession(session: ConsoleSession, now: EpochMs): Promise<void>;
  /** Resolves with null if there is no such session. */
  findSession(idHash: string): Promise<ConsoleSession | null>;
  endSession(idHash: string): Promise<void>;
}

export function consoleSessions({ usableStore }: SchedulerParts): ConsoleSessions {
  return {
    beginSession: async (session, now) => usableStore().beginSession(session, now),
    findSession: async (idHash) => usableStore().findSession(idHash),
    endSession: async (idHash) => usableStore().endSession(idHash),
  };
}

import type { EpochMs } from '../base/clock';

/** Login session of a console. The store holds no secret: the cookie's id and the configured hash are stored as their SHA-256, in base64url. */
export interface ConsoleSession {
  readonly idHash: string;
  readonly userKind: string;
  readonly userName: string;
  /** Digest of the configured hash with which the session began. Another password or token of the user ends the session. */
  readonly credentialHash: string;
  readonly endTime: EpochMs;
}

/** One of the server's connections, as SHOW PROCESSLIST tells it. Without privileges it tells those of the same user, ours among them. */
export interface ServerProcess {
  readonly Id: number;
  /** `Sleep`: it waits for a statement. */
  readonly Command: string;
  /** Whole seconds since that has changed. */
  readonly Time: number;
  /** The text of its statement. */
  readonly Info: string | null;
}

/** Seconds after which an answer is not on its way any more; the server rounds. */
const LEAST_IDLE = 2;

/**
 * Whether the server still owes the connection `id` an answer: waiting for a lock does not differ from a network that has forgotten the
 * connection, unless one asks. `asker`: the connection that has asked. Null: nobody knows, as a proxy gives its connections other numbers.
 */
export function owesAnswer(id: number, asker: number, processes: readonly ServerProcess[]): boolean | null {
  const asking = processes.find(({ Id }) => Id === asker);
  if (!asking?.Info?.startsWith('SHOW PROCESSLIST')) return null;
  const found = processes.find(({ Id }) => Id === id);
  return found !== undefined && !(found.Command === 'Sleep' && found.Time >= LEAST_IDLE);
}

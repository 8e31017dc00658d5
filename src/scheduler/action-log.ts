import { maskText } from '../base/secrets';
import type { ActionPage, ActionQuery, ActionRecord } from '../domain/action';
import { beginning, recordedInput, secretsOf, withoutSecrets } from '../domain/recorded-input';
import type { SchedulerParts } from './scheduler-parts';

/** An action requested from outside the program, for example over HTTP or on the command line. */
export interface RecordedAction {
  readonly actor: {
    readonly name: string;
    readonly role: string;
    readonly via: string;
    readonly from: string | null;
  };
  /** Name of the operation, for example `jobs.delete`. */
  readonly operation: string;
  /** Key or name of the action's target. Empty if the target is the whole scheduler. */
  readonly target: string;
  /** Validated input. Values of fields with secret names are masked before they are stored. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Changes that the action made, or null if unknown. Values of fields with secret names are masked before they are stored. */
  readonly changes: Readonly<Record<string, unknown>> | null;
  /** Error message of a failed action; null if it succeeded. */
  readonly error: string | null;
}

export interface ActionLog {
  /**
   * Records an action with the time of the store's clock in a cluster, and of the node's clock otherwise. Rejects with STORE_FAILURE if the write
   * failed.
   */
  recordAction(action: RecordedAction): Promise<void>;
  /** Lists actions, newest first. If a filter matches very few of many actions, a page may be short or empty; its cursor continues the search. */
  listActions(query: ActionQuery): Promise<ActionPage>;
}

/** Maximum length of each column, in UTF-16 code units. Longer values are truncated. */
const MAX_LENGTHS = { actor: 190, role: 20, via: 20, address: 100, operation: 80, target: 400, error: 1_000 } as const;

/** Lengths of the two parts of an action's id, which orders actions of the same millisecond: a count per node, and random characters, as other nodes count too. */
const ID_COUNT_DIGITS = 8;
const ID_RANDOM_CHARACTERS = 8;

export function actionLog({ usableStore, clock, node: { cluster }, random }: SchedulerParts): ActionLog {
  let count = 0;
  const newId = () => (++count).toString(36).padStart(ID_COUNT_DIGITS, '0') + random.token(ID_RANDOM_CHARACTERS);
  return {
    async recordAction(action) {
      const store = usableStore();
      const time = cluster === null ? clock.now() : Math.floor(await cluster.store.readClock());
      await store.recordAction(toRecord(action, { time, id: newId() }));
    },
    listActions: async (query) => usableStore().listActions(query),
  };
}

function toRecord(action: RecordedAction, place: Pick<ActionRecord, 'time' | 'id'>): ActionRecord {
  const { actor, operation, target, input, changes, error } = action;
  const secrets = secretsOf(input);
  return {
    ...place,
    actor: beginning(actor.name, MAX_LENGTHS.actor),
    role: beginning(actor.role, MAX_LENGTHS.role),
    via: beginning(actor.via, MAX_LENGTHS.via),
    address: actor.from && beginning(actor.from, MAX_LENGTHS.address),
    operation: beginning(operation, MAX_LENGTHS.operation),
    target: beginning(maskText(target), MAX_LENGTHS.target),
    input: recordedInput(input),
    changes: changes && recordedInput(changes),
    error: error && beginning(withoutSecrets(error, secrets), MAX_LENGTHS.error),
  };
}

import type { TriggerFiring } from '../../../src/domain/firing';
import { keyText } from '../../../src/domain/keys';
import type { Bystander } from '../../support/database/test-database';
import type { Scene, TrainNode } from './scene';

/** Rows of a schedule, one text each, without values that differ from run to run: run ids, nodes and clock times. */
export type Rows = readonly string[];

/** Result of a train and an event. */
export interface Outcome {
  /** Returned firings, with everything that their jobs get. */
  readonly firings: readonly string[];
  /** Rows when everything that was due has fired. */
  readonly fired: Rows;
  /** Rows when all these runs, and the runs that they blocked, have ended. */
  readonly ended: Rows;
}

const COLUMNS: Readonly<Record<string, string>> = {
  JOB_DETAILS: 'JOB_NAME, JOB_CLASS_NAME, IS_DURABLE, IS_NONCONCURRENT, IS_UPDATE_DATA, REQUESTS_RECOVERY, JOB_DATA',
  TRIGGERS:
    'TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, TRIGGER_STATE, NEXT_FIRE_TIME, PREV_FIRE_TIME, PRIORITY, START_TIME, END_TIME, CALENDAR_NAME, MISFIRE_INSTR, JOB_DATA',
  SIMPLE_TRIGGERS: 'TRIGGER_NAME, REPEAT_COUNT, REPEAT_INTERVAL, TIMES_TRIGGERED',
  CRON_TRIGGERS: 'TRIGGER_NAME, CRON_EXPRESSION',
  SIMPROP_TRIGGERS: 'TRIGGER_NAME, STR_PROP_1, INT_PROP_1, INT_PROP_2',
  FIRED_TRIGGERS: 'TRIGGER_NAME, SCHED_TIME, PRIORITY, STATE, JOB_NAME, IS_NONCONCURRENT, REQUESTS_RECOVERY',
  PAUSED_TRIGGER_GRPS: 'TRIGGER_GROUP',
  CALENDARS: 'CALENDAR_NAME, CRC32(CALENDAR)',
  X_WAITERS: '1',
  X_PARENTS: '1',
  X_MISFIRED: '1',
  X_PUT_OFF: '1',
  X_RUNS: '1',
};

const QUERY = Object.entries(COLUMNS)
  .map(([table, columns]) => {
    const texts = columns.split(', ').map((column) => `COALESCE(CONVERT(${column} USING utf8mb4), 'null')`);
    return `SELECT CONCAT_WS(' | ', '${table}', ${texts.join(', ')}) AS text FROM QRTZ_${table} WHERE SCHED_NAME = ?`;
  })
  .join(' UNION ALL ');

export async function rowsOf(session: Bystander, schedName: string): Promise<Rows> {
  const values = Object.keys(COLUMNS).map(() => schedName);
  const rows = await session.query<{ text: string }>(QUERY, values);
  return rows.map(({ text }) => withoutRunIds(text)).sort();
}

const withoutRunIds = (text: string) =>
  text.replace(/(mine|peer)\.\d+/g, 'RUN').replace(/(TRIGGER_FIRETIME_IN_MILLISECONDS_AS_STRING\W+)\d+/g, '$1TIME');

/** Everything that decides how the job runs. */
function textOf({ runId, fireTime, ...rest }: TriggerFiring): string {
  return withoutRunIds(JSON.stringify({ name: keyText(rest.trigger.key), ...rest }));
}

/** Collects every firing that the nodes return, and throws for a forbidden one. */
export class Ledger {
  readonly #scene: Scene;
  readonly #known = new Set<string>();
  readonly #texts: string[] = [];
  readonly #running: { readonly node: TrainNode; readonly firing: TriggerFiring }[] = [];

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  get firings(): readonly string[] {
    return [...this.#texts].sort();
  }

  /** Adds the firings of a node. Ignores a node that is no longer a member, because its peers run the same firings. */
  add(node: TrainNode, fired: readonly TriggerFiring[], mayFireAgain: boolean): void {
    if (!node.isMember) return;
    for (const firing of fired) {
      const name = `${keyText(firing.trigger.key)} at ${firing.scheduledFireTime}`;
      if (this.#known.has(name) && !mayFireAgain) throw new Error(`${name} fired twice`);
      this.#known.add(name);
      this.#texts.push(textOf(firing));
      if (this.#isRunning(firing)) throw new Error(`${name} overlaps another run of its job`);
      this.#running.push({ node, firing });
    }
  }

  /** Fires everything that is due, on both nodes. */
  async fireRest(mayFireAgain: boolean): Promise<void> {
    const { mine, peer } = this.#scene;
    for (;;) {
      const fired = [await mine.fireDue(), await peer.fireDue()] as const;
      this.add(mine, fired[0], mayFireAgain);
      this.add(peer, fired[1], mayFireAgain);
      if (fired.every(({ length }) => length === 0)) return;
    }
  }

  /** Ends the runs, and the runs that they blocked, until nothing is due. */
  async endAll(): Promise<void> {
    while (this.#running.length > 0) {
      const running = this.#running.splice(0);
      for (const node of [this.#scene.mine, this.#scene.peer])
        await node.end(running.flatMap((each) => (each.node === node ? [each.firing] : [])));
      await this.fireRest(false);
    }
  }

  #isRunning({ jobDetail: { key, disallowConcurrentExecution } }: TriggerFiring): boolean {
    const text = keyText(key);
    return disallowConcurrentExecution && this.#running.some(({ firing }) => keyText(firing.jobDetail.key) === text);
  }
}

/** Run ids of a node's executing rows. */
export async function executingOn(
  { identity }: TrainNode,
  { bystander, schedName }: Scene,
): Promise<readonly string[]> {
  const text =
    "SELECT ENTRY_ID AS id FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME = ? AND INSTANCE_NAME = ? AND STATE = 'EXECUTING'";
  const rows = await bystander.query<{ id: string }>(text, [schedName, identity.instanceId]);
  return rows.map(({ id }) => id).sort();
}

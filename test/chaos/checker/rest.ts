import type { Tables } from '../../cluster/support/tables';

/** Inconsistent rows that no committed state may contain. */
const IMPOSSIBLE: Readonly<Record<string, string>> = {
  'acquired by nobody': `SELECT t.TRIGGER_NAME AS name FROM QRTZ_TRIGGERS t WHERE t.SCHED_NAME = :s AND t.TRIGGER_STATE = 'ACQUIRED'
    AND NOT EXISTS (SELECT 1 FROM QRTZ_FIRED_TRIGGERS f WHERE f.SCHED_NAME = t.SCHED_NAME AND f.TRIGGER_NAME = t.TRIGGER_NAME AND f.TRIGGER_GROUP = t.TRIGGER_GROUP)`,
  'blocked by nobody': `SELECT t.TRIGGER_NAME AS name FROM QRTZ_TRIGGERS t WHERE t.SCHED_NAME = :s AND t.TRIGGER_STATE IN ('BLOCKED', 'PAUSED_BLOCKED')
    AND NOT EXISTS (SELECT 1 FROM QRTZ_FIRED_TRIGGERS f WHERE f.SCHED_NAME = t.SCHED_NAME AND f.JOB_NAME = t.JOB_NAME AND f.JOB_GROUP = t.JOB_GROUP AND f.STATE = 'EXECUTING')`,
  'fired by nobody': `SELECT f.ENTRY_ID AS name FROM QRTZ_FIRED_TRIGGERS f WHERE f.SCHED_NAME = :s
    AND NOT EXISTS (SELECT 1 FROM QRTZ_SCHEDULER_STATE n WHERE n.SCHED_NAME = f.SCHED_NAME AND n.INSTANCE_NAME = f.INSTANCE_NAME)`,
  'a simple trigger without its schedule': `SELECT t.TRIGGER_NAME AS name FROM QRTZ_TRIGGERS t WHERE t.SCHED_NAME = :s AND t.TRIGGER_TYPE = 'SIMPLE'
    AND NOT EXISTS (SELECT 1 FROM QRTZ_SIMPLE_TRIGGERS k WHERE k.SCHED_NAME = t.SCHED_NAME AND k.TRIGGER_NAME = t.TRIGGER_NAME AND k.TRIGGER_GROUP = t.TRIGGER_GROUP)`,
  'a cron trigger without its expression': `SELECT t.TRIGGER_NAME AS name FROM QRTZ_TRIGGERS t WHERE t.SCHED_NAME = :s AND t.TRIGGER_TYPE = 'CRON'
    AND NOT EXISTS (SELECT 1 FROM QRTZ_CRON_TRIGGERS k WHERE k.SCHED_NAME = t.SCHED_NAME AND k.TRIGGER_NAME = t.TRIGGER_NAME AND k.TRIGGER_GROUP = t.TRIGGER_GROUP)`,
  'a schedule without its trigger': `SELECT k.TRIGGER_NAME AS name FROM QRTZ_SIMPLE_TRIGGERS k WHERE k.SCHED_NAME = :s
    AND NOT EXISTS (SELECT 1 FROM QRTZ_TRIGGERS t WHERE t.SCHED_NAME = k.SCHED_NAME AND t.TRIGGER_NAME = k.TRIGGER_NAME AND t.TRIGGER_GROUP = k.TRIGGER_GROUP)`,
};

/** Rows of one scheduler. */
export interface Rest {
  readonly triggers: number;
  readonly jobs: number;
  readonly firedRows: number;
  /** Number of triggers by state. */
  readonly states: Readonly<Record<string, number>>;
  /** Next fire times of the stored triggers. */
  readonly nextFireTimes: ReadonlyMap<string, number>;
  readonly nodes: readonly string[];
  /** Inconsistencies, with the names of rows. */
  readonly impossible: readonly string[];
}

export async function readRest({ query }: Tables, schedName: string): Promise<Rest> {
  const rows = <Row>(sql: string) => query<Row>(sql.replaceAll(':s', `'${schedName}'`));
  const count = async (table: string) => {
    const [row] = await rows<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE SCHED_NAME = :s`);
    return Number(row?.n);
  };
  const states = await rows<{ state: string; n: number }>(
    'SELECT TRIGGER_STATE AS state, COUNT(*) AS n FROM QRTZ_TRIGGERS WHERE SCHED_NAME = :s GROUP BY TRIGGER_STATE',
  );
  const next = await rows<{ name: string; time: number | null }>(
    'SELECT TRIGGER_NAME AS name, NEXT_FIRE_TIME AS time FROM QRTZ_TRIGGERS WHERE SCHED_NAME = :s',
  );
  const nodes = await rows<{ name: string }>(
    'SELECT INSTANCE_NAME AS name FROM QRTZ_SCHEDULER_STATE WHERE SCHED_NAME = :s',
  );
  const impossible: string[] = [];
  for (const [what, sql] of Object.entries(IMPOSSIBLE)) {
    for (const { name } of await rows<{ name: string }>(sql)) impossible.push(`${what}: ${name}`);
  }
  return {
    triggers: await count('QRTZ_TRIGGERS'),
    jobs: await count('QRTZ_JOB_DETAILS'),
    firedRows: await count('QRTZ_FIRED_TRIGGERS'),
    states: Object.fromEntries(states.map(({ state, n }) => [state, Number(n)])),
    nextFireTimes: new Map(next.flatMap(({ name, time }) => (Number(time) > 0 ? [[name, Number(time)] as const] : []))),
    nodes: nodes.map(({ name }) => name).sort(),
    impossible,
  };
}

/** Returns true if every trigger has ended and no rows are left. */
export const isAtRest = ({ triggers, jobs, firedRows }: Rest) => triggers === 0 && jobs === 0 && firedRows === 0;

/** Grows with every change of a fired row. */
export async function readProgress({ query }: Tables): Promise<number> {
  const [row] = await query<{ n: number | null }>('SELECT MAX(ID) AS n FROM AUDIT');
  return Number(row?.n);
}

/** Checks that only rows of live nodes are left when the load has ended. */
export function judgeRest(
  { states, jobs, firedRows, nodes, impossible }: Rest,
  living: readonly string[],
): readonly string[] {
  const found = [...impossible];
  for (const [state, n] of Object.entries(states)) found.push(`${n} triggers ${state}`);
  if (jobs > 0) found.push(`${jobs} jobs`);
  if (firedRows > 0) found.push(`${firedRows} fired rows`);
  const expected = [...living].sort();
  if (nodes.join() !== expected.join()) found.push(`nodes ${nodes.join(', ')}, living are ${expected.join(', ')}`);
  return found;
}

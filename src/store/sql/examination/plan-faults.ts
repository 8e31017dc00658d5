import { toError } from '../../../base/errors';
import { addAll } from '../../../base/lists';
import { type DatabaseFault, listed } from '../../database-examiner';
import type { SqlParams } from '../runtime/sql-driver';
import type { StatementName } from '../runtime/statement-names';
import type { Statement, Statements } from '../runtime/statements';
import type { SchemaConnection, StatementPlan } from '../schema/schema-connection';

/** Statements that firing depends on: reading due triggers, firing, completion, misfires, change detection and recovery. */
const WATCHED = [
  ...(['selectDueTriggers', 'insertReservations', 'insertFirings', 'markAcquired'] as const),
  ...(['markExecuting', 'advanceTriggers', 'blockTriggers'] as const),
  ...(['deleteConcurrentFirings', 'deleteFirings', 'selectCompletionTargets', 'deleteFinishedTriggers'] as const),
  ...(['settleTriggersOfJobs', 'unblockTriggers', 'deleteOrphanJobs'] as const),
  ...(['selectMisfiredTriggers', 'selectMisfiredKeys'] as const),
  ...(['selectChanges', 'selectFirstOfBacklog', 'selectBacklog', 'selectNodes', 'selectFiringsOf'] as const),
] as const satisfies readonly StatementName[];

export const WATCHED_STATEMENTS = WATCHED.length;

/** Number of rows below which reading the whole table is acceptable. */
const MANY_ROWS = 500;

type PlanParams = Readonly<Record<'schedName' | 'instanceId', string> & Record<'now', number>>;

/** Returns one fault if an important statement fails, scans a large table, sorts, or ignores the expected indexes; otherwise an empty array. */
export async function planFaults(
  connection: Pick<SchemaConnection, 'explain'>,
  statements: Statements,
  params: PlanParams,
): Promise<readonly DatabaseFault[]> {
  const texts: string[] = [];
  for (const name of WATCHED) {
    const statement = statements.get(name);
    try {
      addAll(texts, remarks(statement, await connection.explain(statement, valuesFor(statement, params))));
    } catch (error) {
      texts.push(`${name} cannot be executed: ${toError(error).message}.`);
    }
  }
  if (texts.length === 0) return [];
  return [
    {
      id: 'statementPlans',
      severity: texts.some((text) => text.includes('cannot be executed')) ? 'problem' : 'warning',
      expected: 'important statements that use their expected indexes',
      found: listed(texts),
      advice:
        'Fix the other findings about the tables first. If this finding remains, update the statistics of the tables (ANALYZE).',
    },
  ];
}

/** Problems of a plan that reads at least `MANY_ROWS` rows of a table: scans, sorts, and unused indexes that the statement's comment names. */
function remarks({ name, indexes }: Statement, { steps, sorts }: StatementPlan): readonly string[] {
  const large = steps.filter(({ rows }) => rows === null || rows >= MANY_ROWS);
  if (large.length === 0) return [];
  const scanned = large.filter(({ isScan }) => isScan);
  const used = new Set(steps.flatMap(({ index }) => index?.toUpperCase() ?? []));
  const unused = indexes.names.filter((index) => !used.has(index.toUpperCase()));
  return [
    ...scanned.map(
      ({ table, rows }) => `${name} scans the whole table ${table}${rows === null ? '' : `, about ${rows} rows`}.`,
    ),
    ...(unused.length === 0
      ? []
      : [
          `${name} does not use ${unused.length === 1 ? 'the index' : 'the indexes'} ${unused.join(', ')}. It uses ${[...used].join(', ') || 'no index'}.`,
        ]),
    ...(indexes.inOrder && sorts ? [`${name} sorts its rows instead of reading them in index order.`] : []),
  ];
}

/** Returns a value for each parameter. Values that affect the plan are like the values in production. */
function valuesFor({ parameters }: Statement, { now, ...names }: PlanParams): SqlParams {
  const known: SqlParams = {
    ...names,
    epoch: 'none',
    rows: '[]',
    labels: '[]',
    fullGroups: '[]',
    limit: 100,
    skip: 0,
    from: 0,
    misfireTime: 0,
    minPriority: Number.MIN_SAFE_INTEGER,
    maxPriority: Number.MAX_SAFE_INTEGER,
    maxFallbackAfter: 0,
    lookBack: 1_000,
    isCounted: 0, // otherwise MySQL may count a large backlog by reading the whole index
  };
  return Object.fromEntries(parameters.map((parameter) => [parameter, known[parameter] ?? now]));
}

import { readJson } from '../base/read-json';
import type { RunDetail, RunLine, RunRecord } from './run';

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => Number.isFinite(value);
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isLine = (value: unknown): value is RunLine => isObject(value) && isNumber(value.at) && isText(value.message);

/** Validators of the members of a run's detail. Members that fail validation are dropped. */
const IS_READABLE: { readonly [Name in keyof RunDetail]-?: (value: unknown) => boolean } = {
  canRerun: (value) => typeof value === 'boolean',
  stack: isText,
  summary: isText,
  metrics: (value) => isObject(value) && Object.values(value).every(isNumber),
  lines: (value) => Array.isArray(value) && value.every(isLine),
  result: () => true,
  resultOmitted: isText,
  droppedLines: isNumber,
  shard: (value) => isObject(value) && isNumber(value.index) && isNumber(value.count),
  triggerData: isObject,
  priority: isNumber,
  policy: isObject,
  job: isObject,
};

/** Returns the detail of a run. Omits invalid members, for example of a detail that another program wrote. */
export function detailOf({ detail }: Pick<RunRecord, 'detail'>): RunDetail {
  const value = readJson(detail ?? 'null');
  const members = isObject(value) ? value : {};
  const readable = Object.entries(IS_READABLE).filter(
    ([name, isReadable]) => name in members && isReadable(members[name]),
  );
  return Object.fromEntries(readable.map(([name]) => [name, members[name]]));
}

/** Start of the detail of a run that can be rerun but is no dead letter. Stores replace it atomically, so that only one of two reruns succeeds. */
export const RERUNNABLE = '{"canRerun":true';

/** Prefix that replaces `RERUNNABLE` after the rerun. */
export const RERUN = '{"canRerun":false';

const isMarked = ({ detail }: Pick<RunRecord, 'detail'>) => detail?.startsWith(RERUNNABLE) === true;

/** True if the run failed without further retries and was neither rerun nor discarded. */
export function isRerunnable(run: Pick<RunRecord, 'isDeadLetter' | 'detail'>): boolean {
  return run.isDeadLetter || isMarked(run);
}

/** Returns the record of a run after the run was rerun or discarded. */
export function resolvedRun(run: RunRecord): RunRecord {
  const detail = isMarked(run) ? `${RERUN}${run.detail?.slice(RERUNNABLE.length)}` : run.detail;
  return { ...run, isDeadLetter: false, detail };
}

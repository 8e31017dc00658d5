import { isRecord } from '../base/is-record';
import { readJson } from '../base/read-json';
import type { RunDetail, RunLine, RunRecord } from './run';

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => Number.isFinite(value);
const isLine = (value: unknown): value is RunLine => isRecord(value) && isNumber(value.at) && isText(value.message);

/** Validators of the members of a run's detail. Members that fail validation are dropped. */
const IS_READABLE: { readonly [Name in keyof RunDetail]-?: (value: unknown) => boolean } = {
  canRerun: (value) => typeof value === 'boolean',
  stack: isText,
  summary: isText,
  metrics: (value) => isRecord(value) && Object.values(value).every(isNumber),
  lines: (value) => Array.isArray(value) && value.every(isLine),
  result: () => true,
  resultOmitted: isText,
  droppedLines: isNumber,
  interruption: (value) => isRecord(value) && isNumber(value.at) && (value.by === null || isText(value.by)),
  shard: (value) => isRecord(value) && isNumber(value.index) && isNumber(value.count),
  triggerData: isRecord,
  priority: isNumber,
  policy: isRecord,
  job: isRecord,
};

/** Returns the detail of a run. Omits invalid members, for example of a detail that another program wrote. */
export function detailOf({ detail }: Pick<RunRecord, 'detail'>): RunDetail {
  const value = readJson(detail ?? 'null');
  const members = isRecord(value) ? value : {};
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

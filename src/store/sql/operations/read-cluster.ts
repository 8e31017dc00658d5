import { type EpochMs, earliestOf } from '../../../base/clock';
import { readJson } from '../../../base/read-json';
import type { NodeJobTypes } from '../../../domain/job-types';
import { misfireTime } from '../../../domain/misfire';
import { labelOfNode } from '../../../domain/placement';
import type { RunProgress } from '../../../domain/progress';
import { RECOVERING_JOBS } from '../../../domain/recovery';
import type { BacklogTrigger, ChangeReading, FiringRecord, WatchRequest } from '../../cluster-store';
import type { AcquireRequest } from '../../job-store';
import type { NodeReader } from '../rows/node-transaction';
import { jobKeyOf, toCount, toFireTime, triggerKeyOf } from '../rows/rows';
import { scopeParams } from '../rows/sql-node';
import type { SeenChanges } from '../runtime/sql-driver';
import { fullGroupsOf } from './scan-memory';
import type { JobName, TriggerName } from './select-definitions';

interface ChangeRow {
  readonly NOW_TIME: number;
  readonly EARLIEST: number | null;
  readonly TRIGGERS: number;
  readonly TOTAL: number;
  readonly BACKLOG: number;
  readonly BACKLOG_TOTAL: number;
  readonly SIGNAL_NUMBER: number | null;
}

/** Returns the database time, the earliest waiting fire time and the node's latest signal number. Counts the backlog if `request.isCounted`. */
export async function readChanges(
  reader: NodeReader,
  { instanceId, epoch, lookBack, isCounted }: WatchRequest,
): Promise<{ readonly reading: ChangeReading; readonly seen: SeenChanges }> {
  const { schedName } = reader.node;
  const params = { schedName, instanceId, epoch, lookBack, isCounted: isCounted ? 1 : 0 };
  const [row] = await reader.all<ChangeRow>('selectChanges', params);
  if (row === undefined) throw new TypeError('selectChanges found no row; expected one.');
  const { NOW_TIME, ...columns } = row;
  const { EARLIEST, TRIGGERS, TOTAL, BACKLOG, BACKLOG_TOTAL, SIGNAL_NUMBER } = row;
  const reading = {
    now: NOW_TIME,
    earliest: EARLIEST,
    fingerprint: `${EARLIEST}/${TRIGGERS}/${TOTAL}`,
    backlog: isCounted ? { count: BACKLOG, fingerprint: `${BACKLOG}/${BACKLOG_TOTAL}` } : null,
    signalNumber: SIGNAL_NUMBER === null ? null : toCount(SIGNAL_NUMBER),
  };
  return { reading, seen: { params, columns } };
}

export async function readFirstToFire(reader: NodeReader): Promise<EpochMs | null> {
  type Row = { readonly WAITING_TIME: number | null; readonly RESERVED_TIME: number | null };
  const [row] = await reader.all<Row>('selectFirstToFire');
  return earliestOf([row?.WAITING_TIME ?? null, row?.RESERVED_TIME ?? null]) ?? null;
}

/** Maximum number of due triggers to search for the next trigger that this node may fire although the trigger prefers other nodes. */
const FALLBACK_PAGE = 100;

/** Interval after which a node polls again if the backlog has at least `FALLBACK_PAGE` triggers. Milliseconds. */
const POLL_AGAIN_MS = 1_000;

/**
 * Returns the earliest fire time up to `now` of a trigger that a node with this request can acquire. If there is none, returns the time at which this
 * node may fire the first due trigger that prefers other nodes, or null. With a backlog of `FALLBACK_PAGE` triggers or more, that time is at most one
 * second after `now`, so that the node polls again.
 */
export async function findInBacklog(
  reader: NodeReader,
  request: AcquireRequest,
  now: EpochMs,
): Promise<EpochMs | null> {
  const { jobTypes, misfireThreshold } = request;
  const scope = scopeParams(reader.node, { now, misfireThreshold });
  const params = { ...scope, rows: JSON.stringify(jobTypes) };
  const fullGroups = JSON.stringify(fullGroupsOf(request));
  const query = { ...params, misfireTime: misfireTime({ now, misfireThreshold }), fullGroups };
  const [row] = await reader.all<{ NEXT_FIRE_TIME: number }>('selectFirstOfBacklog', query);
  if (row !== undefined) return row.NEXT_FIRE_TIME;
  type NextFallback = { readonly TRIGGERS: number; readonly AVAILABLE_AT: number | null };
  const [nextFallback] = await reader.all<NextFallback>('selectNextFallback', { ...params, limit: FALLBACK_PAGE });
  const availableAt = nextFallback?.AVAILABLE_AT ?? null;
  const isMore = nextFallback?.TRIGGERS === FALLBACK_PAGE;
  return isMore ? Math.min(availableAt ?? Number.POSITIVE_INFINITY, now + POLL_AGAIN_MS) : availableAt;
}

/** Returns at most `limit` waiting triggers, of any job type, that were due before `before`, the earliest first. */
export async function readBacklog(
  reader: NodeReader,
  before: EpochMs,
  limit: number,
): Promise<readonly BacklogTrigger[]> {
  type Row = TriggerName & {
    readonly NEXT_FIRE_TIME: number;
    readonly JOB_CLASS_NAME: string;
    readonly RUNS_ON: string | null;
  };
  const rows = await reader.all<Row>('selectBacklog', { before, limit });
  return rows.map((row) => ({
    triggerKey: triggerKeyOf(row),
    jobType: row.JOB_CLASS_NAME,
    nextFireTime: row.NEXT_FIRE_TIME,
    ...(row.RUNS_ON !== null && { runsOn: textsIn(row.RUNS_ON) ?? [] }),
  }));
}

/** Progress columns of a run. FRACTION and UPDATED_TIME are null if the run has reported none. */
export interface ProgressColumns {
  readonly FRACTION: number | null;
  readonly MESSAGE: string | null;
  readonly UPDATED_TIME: number | null;
}

interface FiringRow extends TriggerName, JobName, ProgressColumns {
  readonly ENTRY_ID: string;
  readonly INSTANCE_NAME: string;
  readonly FIRED_TIME: number;
  readonly SCHED_TIME: number;
  readonly INTERRUPTED_TIME: number | null;
  readonly INTERRUPTED_BY: string | null;
}

export async function readFirings(reader: NodeReader): Promise<readonly FiringRecord[]> {
  const rows = await reader.all<FiringRow>('selectExecutingFirings');
  return rows.map((row) => ({
    runId: row.ENTRY_ID,
    instanceId: row.INSTANCE_NAME,
    triggerKey: triggerKeyOf(row),
    jobKey: jobKeyOf(row),
    fireTime: toFireTime(row.FIRED_TIME),
    scheduledFireTime: toFireTime(row.SCHED_TIME),
    recovering: row.TRIGGER_GROUP === RECOVERING_JOBS,
    progress: progressOf(row),
    interruption: row.INTERRUPTED_TIME === null ? null : { at: row.INTERRUPTED_TIME, by: row.INTERRUPTED_BY },
  }));
}

/** Returns a string that identifies the newest recorded run (end time and run id); null if no run is recorded. */
export async function readNewestRun(reader: NodeReader): Promise<string | null> {
  type Row = { readonly ENDED_TIME: number; readonly RUN_ID: string };
  const [row] = await reader.all<Row>('selectNewestRun');
  return row === undefined ? null : `${row.ENDED_TIME} ${row.RUN_ID}`;
}

/** Returns the progress in a row of QRTZ_X_PROGRESS; null if the run has reported none. */
export function progressOf(row: ProgressColumns): RunProgress | null {
  const { FRACTION: fraction, MESSAGE: message, UPDATED_TIME: at } = row;
  return fraction === null || at === null ? null : { fraction, message, at };
}

/** Maximum length of a node's list of job types, in characters. A node with a longer list does not publish its job types. */
const MAX_LIST = 60_000;

/** Encodes the job types of a node for its row; null if the encoded list exceeds `MAX_LIST`. */
export function encodeJobTypes(types: readonly string[]): string | null {
  const text = JSON.stringify(types);
  return text.length > MAX_LIST ? null : text;
}

export async function readJobTypes(reader: NodeReader): Promise<readonly NodeJobTypes[]> {
  type Row = { readonly INSTANCE_NAME: string } & Readonly<Record<'EPOCH' | 'JOB_TYPES' | 'LABELS', string | null>>;
  const rows = await reader.all<Row>('selectJobTypes');
  return rows.map(({ INSTANCE_NAME, EPOCH, JOB_TYPES, LABELS }) => {
    const labels = textsIn(LABELS) ?? [labelOfNode(INSTANCE_NAME)];
    return { instanceId: INSTANCE_NAME, isJava: EPOCH === null, jobTypes: textsIn(JOB_TYPES), labels };
  });
}

/** Parses a column as a JSON array of strings; null for any other content. */
export function textsIn(text: string | null): readonly string[] | null {
  const list = parseArray(text);
  return list?.every((each) => typeof each === 'string') === true ? list : null;
}

/** Parses a column as a JSON array; null for any other content, for example after a manual edit. */
export function parseArray(text: string | null): readonly unknown[] | null {
  const parsed = readJson(text ?? '');
  return Array.isArray(parsed) ? parsed : null;
}

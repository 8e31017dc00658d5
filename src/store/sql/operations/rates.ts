import { type EpochMs, earliestOf } from '../../../base/clock';
import type { FiringTerms, TriggerFiring } from '../../../domain/firing';
import type { JobKey, TriggerKey } from '../../../domain/keys';
import type { FiringDemand } from '../../../domain/limit-claims';
import { deferredGroup, deferredTriggerKey } from '../../../domain/occurrence';
import {
  MAX_LINE,
  type MovedTurn,
  type PutOff,
  type RateChanges,
  type StoredRates,
} from '../../../domain/rate-capacity';
import {
  firstTurn,
  idleBefore,
  idleFrom,
  MICROS,
  type RateState,
  readRateState,
  writeRateState,
} from '../../../domain/rate-state';
import type { NodeReader, NodeTransaction } from '../rows/node-transaction';
import { jobKeyColumns, keyList, type TriggerRow, triggerKeyOf } from '../rows/rows';
import { selectByRows, writeEveryRow, writeRows } from '../runtime/row-batches';
import type { TriggerName } from './select-definitions';

/*
 * Rate limits. QRTZ_X_RATES has one row for each recently used key, and QRTZ_X_PUT_OFF one row for each firing that a rate limit has deferred. A
 * transaction that fires under a rate limit reads and writes both tables under TRIGGER_ACCESS, once per batch. It reads the queue of a key only if
 * firings wait for this key.
 */

interface RateRow {
  readonly RATE_KEY: string;
  readonly STATE: string;
}

interface LineRow extends TriggerName {
  readonly DUE_TIME: number;
  /** State of the trigger; null if the trigger is not stored yet. */
  readonly TRIGGER_STATE: string | null;
  readonly NEXT_FIRE_TIME: number | null;
}

/** Reads the rate limits that these firings need: the state of each key, and the firings that wait for the key. */
export async function readRates(
  tx: NodeTransaction,
  now: EpochMs,
  demands: readonly FiringDemand[],
): Promise<StoredRates> {
  const requested = demands.flatMap(({ rate }) => rate ?? []);
  const keys = new Set(requested.map(({ key }) => key));
  const states = statesIn(await selectByRows<RateRow>(tx, 'selectRates', [...keys]));
  const withLine = new Set(requested.flatMap(({ key, isPutOff }) => (isPutOff ? [key] : [])));
  for (const [key, { planned }] of states) if (planned > now * MICROS) withLine.add(key);
  const lines = new Map<string, readonly PutOff[]>();
  await Promise.all([...withLine].map(async (key) => lines.set(key, await selectLine(tx, key))));
  return { rateOf: (key) => states.get(key) ?? null, lineOf: (key) => lines.get(key) ?? [] };
}

function statesIn(rows: readonly RateRow[]): ReadonlyMap<string, RateState> {
  const states = rows.map(({ RATE_KEY, STATE }) => [RATE_KEY, readRateState(STATE)] as const);
  return new Map(states.flatMap(([key, state]) => (state === null ? [] : [[key, state]])));
}

async function selectLine(reader: NodeReader, rateKey: string): Promise<readonly PutOff[]> {
  const rows = await reader.all<LineRow>('selectLine', { rateKey, limit: MAX_LINE });
  return rows.map((row) => {
    const turn = row.TRIGGER_STATE === 'WAITING' ? row.NEXT_FIRE_TIME : null;
    return { key: triggerKeyOf(row), due: row.DUE_TIME, turn };
  });
}

/** Writes changed states of rate limits and moves deferred firings. Must be called after the batch has written its own triggers. */
export async function writeRates(tx: NodeTransaction, { states, moved, coming }: RateChanges): Promise<void> {
  const { turns } = tx.node;
  for (const each of coming) turns.expect(each);
  const rows = [...states].map(([key, state]) => [key, writeRateState(state), idleFrom(state)] as const);
  await Promise.all([writeRows(tx, 'upsertRates', rows), moveTurns(tx, moved)]);
}

/** Moves waiting triggers to another fire time. Skips a trigger whose state or fire time has changed since it was read. */
async function moveTurns(tx: NodeTransaction, moved: readonly MovedTurn[]): Promise<void> {
  const rows = moved.map(({ key, from, to }) => [...keyList(key), 'WAITING', from, to]);
  await writeRows(tx, 'moveTurns', rows);
}

/** Maximum number of deferred firings to check in one transaction. */
const MAX_RIPE = 200;

/**
 * Restores the original due time of deferred firings whose fire time has passed, so that they fire before triggers that became due later. Returns the
 * earliest of these due times; null if there are none. Sends no statement if no deferred firing can be due, which is nearly always the case.
 */
export async function ripenTurns(tx: NodeTransaction, now: EpochMs): Promise<EpochMs | null> {
  const { turns } = tx.node;
  const after = turns.openAt(now);
  if (after === null) return null;
  type RipeRow = TriggerName & { readonly DUE_TIME: number; readonly NEXT_FIRE_TIME: number };
  const rows = await tx.all<RipeRow>('selectRipe', { after, now, limit: MAX_RIPE });
  const last = rows.length < MAX_RIPE ? now : (rows.at(-1)?.NEXT_FIRE_TIME ?? now) - 1;
  const moved = rows.map((row) => ({ key: triggerKeyOf(row), from: row.NEXT_FIRE_TIME, to: row.DUE_TIME }));
  await moveTurns(tx, moved);
  turns.see(last);
  return earliestOf(moved.map(({ to }) => to)) ?? null;
}

/** Moves due triggers that a rate limit defers to the fire time `to`. Throws `StaleRead` if a trigger has changed since it was read. */
export async function delayTurns(
  tx: NodeTransaction,
  moved: readonly { readonly row: TriggerRow; readonly to: EpochMs }[],
): Promise<void> {
  const rows = moved.map(({ row, to }) => {
    const { TRIGGER_STATE, NEXT_FIRE_TIME } = row;
    return [...keyList(triggerKeyOf(row)), TRIGGER_STATE, Number(NEXT_FIRE_TIME), to];
  });
  await writeEveryRow(tx, 'moveTurns', rows);
}

/** A firing with its effects on limits; null if it has none. */
export interface LimitedFiring {
  readonly firing: TriggerFiring;
  readonly terms: FiringTerms | null;
}

/** Records the firings that a rate limit defers, and deletes the records of deferred firings that now fire. */
export async function writeLine(tx: NodeTransaction, firings: readonly LimitedFiring[]) {
  const joining = firings.flatMap(({ firing: { runId, trigger }, terms }) => {
    const joins = terms?.line?.joins;
    const key = deferredTriggerKey(runId, deferredGroup(trigger.key.group));
    return joins === undefined ? [] : [[...keyList(key), joins.key, joins.due, runId]];
  });
  const leaving = firings.flatMap(({ terms }) => terms?.line?.leaves ?? []);
  await Promise.all([writeEveryRow(tx, 'insertPutOff', joining), writeRows(tx, 'deletePutOff', leaving.map(keyList))]);
}

/** Restores the original due time of the jobs' deferred firings after a rate limit was changed. Their fire times are then computed again. */
export async function recallTurns(tx: NodeTransaction, jobs: readonly JobKey[]): Promise<void> {
  await writeRows(tx, 'recallTurns', jobs.map(jobKeyColumns));
}

export interface IdleRates {
  /** Keys whose state may be deleted, because it no longer delays any firing. */
  readonly keys: readonly string[];
  /** Deferred firings that have neither a stored trigger nor an executing firing. */
  readonly stale: readonly TriggerKey[];
  /** Deferred firings that may fire earlier than planned, because firings ahead of them were deleted. */
  readonly late: readonly MovedTurn[];
}

/** Finds idle keys, stale records of deferred firings, and fire times that are later than necessary: at most `limit` of each. */
export async function findIdleRates(reader: NodeReader, limit: number): Promise<IdleRates> {
  const { clock } = reader.node;
  const now = clock.now();
  const keys = await reader.all<RateRow>('selectIdleRates', { before: idleBefore(now), limit });
  const stale = await reader.all<LineRow>('selectStalePutOff', { limit });
  type Line = { readonly RATE_KEY: string; readonly TURN: number };
  const lines = await reader.all<Line>('selectLines', { time: now + SOON_MS, limit });
  const rows = JSON.stringify(lines.map(({ RATE_KEY }) => RATE_KEY));
  const found = lines.length === 0 ? [] : await reader.all<RateRow>('selectRates', { rows });
  const states = statesIn(found);
  const late: MovedTurn[] = [];
  for (const { RATE_KEY, TURN } of lines) {
    const earliest = firstTurn(states.get(RATE_KEY) ?? null, now);
    if (TURN <= earliest + SOON_MS) continue;
    const first = (await selectLine(reader, RATE_KEY)).find(({ turn }) => turn !== null);
    if (first?.turn != null) late.push({ key: first.key, from: first.turn, to: earliest });
  }
  return { keys: keys.map(({ RATE_KEY }) => RATE_KEY), stale: stale.map(triggerKeyOf), late };
}

export function countIdleRates({ keys, stale, late }: IdleRates): number {
  return keys.length + stale.length + late.length;
}

/** Minimum time by which a sweep moves a fire time earlier, in milliseconds. */
const SOON_MS = 1_000;

export async function repairRates(tx: NodeTransaction, idle: IdleRates): Promise<void> {
  const { clock, turns } = tx.node;
  for (const { to } of idle.late) turns.expect({ first: to, last: to });
  await Promise.all([
    writeRows(tx, 'deleteIdleRates', idle.keys, { before: idleBefore(clock.now()) }),
    writeRows(tx, 'deletePutOff', idle.stale.map(keyList)),
    moveTurns(tx, idle.late),
  ]);
}

import type { EpochMs } from '../../../base/clock';
import { GroupRoom } from '../../../domain/group-limits';
import { keyText } from '../../../domain/keys';
import { misfireTime } from '../../../domain/misfire';
import type { AcquireRequest } from '../../job-store';
import { type TriggerRow, triggerKeyOf } from '../rows/rows';
import { type SqlNode, scopeParams } from '../rows/sql-node';
import { type TriggerRecord, toTriggerRow } from '../rows/trigger-record';
import type { SqlParams, SqlTransaction } from '../runtime/sql-driver';
import type { GroupBacklog, PassedOver } from './group-backlog';

/** One page; `isFull`: there may be another. */
export interface DuePage {
  readonly rows: readonly TriggerRow[];
  readonly isFull: boolean;
}

/** Where the scan begins as far as all groups are concerned, and what is known of those that are full. */
export interface ScanStart {
  readonly from: EpochMs;
  readonly backlog: GroupBacklog;
}

/** The rows that may be due, in the order of their fire times, page by page; of a group that is limited here, no more pages than fill it. */
export class DuePages {
  readonly #tx: SqlTransaction;
  readonly #params: SqlParams;
  readonly #groups: FullGroups | null;
  #skip = 0;

  constructor(tx: SqlTransaction, node: SqlNode, request: AcquireRequest, start: ScanStart) {
    this.#tx = tx;
    this.#groups = request.groupRoom === undefined ? null : new FullGroups(node, request, start);
    this.#params = {
      schedName: node.schedName,
      ...scopeParams(node, request),
      rows: JSON.stringify(request.jobTypes),
      from: start.from,
      noLaterThan: request.noLaterThan + request.timeWindow,
      misfireTime: misfireTime(request),
    };
  }

  async next(limit: number): Promise<DuePage> {
    if (this.#groups?.haveGrown() === true) this.#skip = 0;
    const page = { ...this.#params, limit, skip: this.#skip };
    this.#skip += limit;
    const rows = (await this.#read(page)).map(toTriggerRow);
    return { rows: this.#groups === null ? rows : this.#groups.unseen(rows), isFull: rows.length === limit };
  }

  /** Whether the row is one of those that the batch asks for: not if its group is full without it. */
  counts({ JOB_GROUP: group }: TriggerRow): boolean {
    return this.#groups === null || this.#groups.takes(group);
  }

  #read(page: SqlParams): Promise<readonly TriggerRecord[]> {
    const left = this.#groups?.leftOut ?? null;
    if (left === null) return this.#tx.all<TriggerRecord>('selectDueTriggers', page);
    return this.#tx.all<TriggerRecord>('selectDueTriggersOfOtherGroups', { ...page, ...left });
  }
}

/** The groups that are full on the node, or will be with what has been read. */
class FullGroups {
  readonly #node: SqlNode;
  readonly #request: AcquireRequest;
  readonly #start: ScanStart;
  readonly #room: GroupRoom;
  readonly #seen = new Set<string>();
  #groups: readonly string[] = [];
  #passed: PassedOver;
  /** Of the first page that leaves out these groups; null: it was taken up. */
  #asked: { readonly at: number; readonly changes: number } | null = null;

  constructor(node: SqlNode, request: AcquireRequest, start: ScanStart) {
    this.#node = node;
    this.#request = request;
    this.#start = start;
    this.#room = new GroupRoom(request.groupRoom ?? {});
    this.#passed = { start: start.from, end: start.from, until: null };
  }

  /** What the next page leaves out, as parameters; null: nothing. */
  get leftOut(): SqlParams | null {
    return this.#groups.length === 0 ? null : { from: this.#passed.end, fullGroups: JSON.stringify(this.#groups) };
  }

  /** Whether more groups are full than at the page before: the next is the first page without them. */
  haveGrown(): boolean {
    const groups = this.#room.full;
    if (groups.length === this.#groups.length) return false;
    const { from, backlog } = this.#start;
    this.#groups = groups;
    this.#passed = backlog.behind(groups, from, this.#request);
    this.#asked = { at: this.#node.clock.monotonic(), changes: backlog.changes };
    return true;
  }

  takes(group: string): boolean {
    const hasRoom = this.#room.hasRoom(group);
    this.#room.take(group);
    return hasRoom;
  }

  /** What was on no page before. */
  unseen(rows: readonly TriggerRow[]): readonly TriggerRow[] {
    this.#recordPassed(rows[0]?.NEXT_FIRE_TIME ?? null);
    const news = rows.filter((row) => !this.#seen.has(keyText(triggerKeyOf(row))));
    for (const row of news) this.#seen.add(keyText(triggerKeyOf(row)));
    return news;
  }

  #recordPassed(first: EpochMs | null): void {
    if (this.#asked === null) return;
    const { at, changes } = this.#asked;
    this.#asked = null;
    const { noLaterThan, timeWindow } = this.#request;
    const scan = { end: first ?? noLaterThan + timeWindow + 1, tookMs: this.#node.clock.monotonic() - at, changes };
    this.#start.backlog.record(this.#groups, this.#request, this.#passed, scan);
  }
}

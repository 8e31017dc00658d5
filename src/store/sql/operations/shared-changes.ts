import type { EpochMs } from '../../../base/clock';
import { maxOf } from '../../../base/lists';
import { distinctKeys, keyText } from '../../../domain/keys';
import type { ChangeSet } from '../../../domain/schedule-change';
import { ALL_GROUPS_PAUSED, type ApplyScheduleOptions } from '../../job-store';
import { withNode } from '../rows/node-transaction';
import { keyList } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import type { CommitTokens } from '../runtime/commit-tokens';
import { concernsStore } from '../runtime/retry-rules';
import { partsOf, type RowOfSet } from '../runtime/row-batches';
import { Script, ScriptRefused } from '../runtime/script';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { StatementName } from '../runtime/statement-names';
import {
  type AppliedChanges,
  applyRequests,
  type ChangeRequest,
  followableJobs,
  RequestRefused,
} from './apply-schedule';
import { JobMemory } from './job-memory';
import { loadDraft } from './load-draft';
import { type Additions, additionsIn, concernsMany, type NamesInChanges, namesIn } from './names-in-changes';
import { ScheduleDraft } from './schedule-draft';

/** Number of changes above which a transaction runs with `pausesLong`, because it may compute for a long time between two statements. */
const MANY = 1_000;

/** Maximum number of changes in a shared transaction. More would hold the cluster-wide lock for longer than other transactions. */
const MAX_SHARED = 100;

/** The part of `WakeUps` that rings before a commit. */
interface Wakes {
  ringWithin(earliest: EpochMs | null): readonly string[];
  ring(epochs: readonly string[]): Promise<void>;
}

type Requests = readonly [ChangeRequest, ...ChangeRequest[]];

/** A request that only adds. */
interface Addition extends ChangeRequest {
  readonly additions: Additions;
}

type Additive = readonly [Addition, ...Addition[]];

/** Outcome of one request: its applied changes, or the reason for which it was refused. */
type Ended = { readonly applied: AppliedChanges } | { readonly reason: unknown };

const NOTHING: Promise<readonly Ended[]> = Promise.resolve([]);

/** Requests that share a transaction. */
interface Group {
  readonly requests: Addition[];
  ended: Promise<readonly Ended[]>;
  /** Number of transactions that had been requested when the group was created, including its own. */
  readonly count: number;
  size: number;
}

/**
 * Applies change sets under TRIGGER_ACCESS. A set that only adds is written without being read first, together with the additions of other callers
 * that wait for the same transaction. If the shared transaction is refused, the cause is found with the objects loaded: a request that cannot be
 * applied fails alone, with the error that it would have had alone.
 */
export class SharedChanges {
  readonly #tokens: CommitTokens;
  readonly #wakeUps: Wakes;
  readonly #jobs = new JobMemory();
  /** Group whose transaction has not begun; null if there is none. */
  #open: Group | null = null;

  constructor(tokens: CommitTokens, wakeUps: Wakes) {
    this.#tokens = tokens;
    this.#wakeUps = wakeUps;
  }

  /** Applies one change set, all or none. Throws `NodeFencedError` if the node may not fire. */
  async apply(node: SqlNode, changes: ChangeSet, options: ApplyScheduleOptions): Promise<AppliedChanges> {
    const request = requestOf(node, changes, options);
    if (!isAddition(request) || this.#jobs.lacks(request.additions.jobs))
      return appliedOf((await this.#applyLoaded([request]))[0]);
    const { group, index } = this.#join(request);
    return appliedOf((await group.ended)[index]);
  }

  /** Adds the request to the group that waits, if it may join. A request never overtakes another change that was requested before it. */
  #join(request: Addition): { readonly group: Group; readonly index: number } {
    const { changes, node } = request;
    const open = this.#open;
    const mayJoin =
      open !== null &&
      open.count === this.#tokens.count &&
      open.size + changes.length <= MAX_SHARED &&
      open.requests[0]?.node.incarnation?.epoch === node.incarnation?.epoch;
    if (!mayJoin) return { group: this.#begin(request), index: 0 };
    open.size += changes.length;
    return { group: open, index: open.requests.push(request) - 1 };
  }

  #begin(first: Addition): Group {
    const requests: [Addition, ...Addition[]] = [first];
    const size = first.changes.length;
    const close = () => {
      if (this.#open?.requests === requests) this.#open = null;
      return requests;
    };
    const group: Group = { requests, size, count: this.#tokens.count + 1, ended: NOTHING };
    this.#open = group;
    group.ended = this.#add(close, size).catch((error: unknown) =>
      concernsStore(error) ? close().map(() => ({ reason: error })) : this.#applyLoaded(close()),
    );
    return group;
  }

  /** Writes the requests as new. Calls `close` when the transaction begins: no further request may join then. */
  async #add(close: () => Additive, size: number): Promise<readonly Ended[]> {
    // A large set is sent while it is built, because that takes longer than a round trip.
    if (this.#tokens.runsScripts && size <= MAX_SHARED) {
      const script = new Script(null);
      return this.#tokens.runScript(async () => ({ script, result: await this.#writeWithRing(script, close()) }));
    }
    const send = async (tx: SqlTransaction) => {
      const script = new Script(tx);
      const written = await this.#writeWithRing(script, close());
      void this.#wakeUps.ring(script.rings);
      await script.answered();
      return written;
    };
    return this.#tokens.run(send, { alwaysChanges: true, pausesLong: size > MANY });
  }

  async #writeWithRing(script: Script, requests: Additive): Promise<readonly Ended[]> {
    const applied = await this.#writeAsNew(script, requests);
    const earliest = applied[0]?.earliest;
    if (earliest !== undefined) script.rings = this.#wakeUps.ringWithin(earliest);
    return applied.map((each) => toEnded({ ...each, hasRung: script.rings.length > 0 }));
  }

  async #writeAsNew(script: Script, requests: Additive): Promise<readonly AppliedChanges[]> {
    const draft = new ScheduleDraft(new Set());
    const followed = new Set<string>();
    const groups = new Set([ALL_GROUPS_PAUSED]);
    const known = new Map<string, RowOfSet>();
    const unfollowed = new Map<string, RowOfSet>();
    for (const { additions, followable } of requests) {
      for (const group of additions.groups) groups.add(group);
      for (const text of additions.jobs) {
        const job = this.#jobs.get(text);
        if (job === undefined) throw new ScriptRefused();
        draft.jobs.set(text, { ...job.draft });
        known.set(text, [...keyList(job.draft.key), job.asRead]);
        if (job.isFollowed) followed.add(text);
      }
      for (const key of followable) if (!followed.has(keyText(key))) unfollowed.set(keyText(key), keyList(key));
    }
    draft.followed = followed;
    const requireNone = (statement: StatementName, rows: Iterable<RowOfSet>) => {
      for (const { json } of partsOf([...rows], script.maxSetBytes)) script.requireNone(statement, { rows: json });
    };
    requireNone('selectAnyPausedOf', groups);
    requireNone('selectAnyOtherThan', known.values());
    requireNone('selectAnyFollowedOf', unfollowed.values());
    return applyRequests(withNode(script, requests[0].node), draft, requests);
  }

  /** Applies the requests to the loaded objects, in one transaction if none fails. */
  async #applyLoaded(requests: readonly ChangeRequest[]): Promise<readonly Ended[]> {
    if (!isNonEmpty(requests)) return [];
    const names = namesOf(requests);
    const count = requests.reduce((sum, { changes }) => sum + changes.length, 0);
    const now = maxOf(requests.map(({ options }) => options.now));
    const apply = async (plain: SqlTransaction) => {
      const tx = withNode(plain, requests[0].node);
      return applyRequests(tx, await loadDraft(tx, names, { memory: this.#jobs, now }), requests);
    };
    try {
      const applied = await this.#tokens.run(apply, { pausesLong: count > MANY || concernsMany(names) });
      return applied.map(toEnded);
    } catch (error) {
      const reason = error instanceof RequestRefused ? error.cause : error;
      if (requests.length === 1 || concernsStore(error)) return requests.map(() => ({ reason }));
      return error instanceof RequestRefused
        ? this.#applyWithout(error.request, requests, reason)
        : this.#applyEach(requests);
    }
  }

  async #applyWithout(refused: ChangeRequest, requests: Requests, reason: unknown): Promise<readonly Ended[]> {
    const others = requests.filter((each) => each !== refused);
    const ended = await this.#applyLoaded(others);
    return requests.map((each) => (each === refused ? { reason } : (ended[others.indexOf(each)] as Ended)));
  }

  /** Applies each request in its own transaction, because the database refuses one of them without naming it. */
  async #applyEach(requests: Requests): Promise<readonly Ended[]> {
    const ended: Ended[] = [];
    for (const request of requests) ended.push((await this.#applyLoaded([request]))[0] as Ended);
    return ended;
  }
}

function requestOf(node: SqlNode, changes: ChangeSet, options: ApplyScheduleOptions) {
  const additions = options.author === undefined ? additionsIn(changes) : null;
  return { changes, options, node, followable: followableJobs(changes, options), additions };
}

const isAddition = (request: ReturnType<typeof requestOf>): request is Addition => request.additions !== null;

const toEnded = (applied: AppliedChanges): Ended => ({ applied });

function appliedOf(ended: Ended | undefined): AppliedChanges {
  if (ended !== undefined && 'applied' in ended) return ended.applied;
  throw ended?.reason;
}

const isNonEmpty = (requests: readonly ChangeRequest[]): requests is Requests => requests.length > 0;

/** Returns the names in the requests, as if they were one change set. */
function namesOf(requests: Requests): NamesInChanges {
  const changes = requests.flatMap((request) => request.changes);
  const followable = distinctKeys(requests.flatMap((request) => request.followable));
  return { ...namesIn(changes, requests[0].options.author !== undefined), followable };
}

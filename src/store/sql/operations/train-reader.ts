import { type EpochMs, earliestOf } from '../../../base/clock';
import { Beats, isCrowd, LeadTime, Neglect, ONLY_NODE, type OwnPart, YieldTime } from '../../../domain/beats';
import type { NodeTransactions } from '../rows/node-transaction';
import type { SqlNode } from '../rows/sql-node';
import type { TimedRequest } from './due-batch';
import type { ScanMemory } from './scan-memory';
import { backlogOfShare, EVERYTHING, PlaceReader, type Reading, readDue, stillDue } from './train-reading';

/** Maximum age in milliseconds of the place that a node has read: in a backlog, and otherwise. */
const BACKLOG_PLACE_MS = 100;
const PLACE_MS = 1_000;

/** Number of batches of a backlog that a node reads at once. */
const BATCHES_READ = 4;

/** Time in milliseconds by which a node may read later than it planned, and still fire what it planned to. */
const LEAD_MARGIN_MS = 5;

/** Acquire request that fires. `lead`: time in milliseconds before a fire time at which the node reads. */
export interface LedRequest extends TimedRequest {
  readonly lead: number;
  readonly fireWithin: number;
}

/** Outcome of a train, from which the node learns. */
interface TrainOutcome {
  /** Fire time of its first trigger. */
  readonly first: EpochMs;
  readonly planned: number;
  readonly won: number;
  /** Milliseconds since the request. */
  readonly tookMs: number;
  /** Late triggers that are left of the reading. */
  readonly rest: Reading | null;
}

/** Chooses which due triggers a node reads, and how soon. Learns both from its trains. */
export class TrainReader {
  readonly #places = new PlaceReader();
  readonly #yieldTime = new YieldTime();
  readonly #leadTime = new LeadTime();
  #beats = new Beats(ONLY_NODE);
  /** True while more triggers are late than a node takes at once: each node then takes its own share of them. */
  #isBacklog = false;
  readonly #neglect = new Neglect();
  /** Late triggers of this node's share that the last train has left to the next ones. */
  #ahead: Reading | null = null;
  #hasOwnChange = false;

  /** Must be called after a change by this node: it fires what has become due by it, because it is the first node to know. */
  changedHere(): void {
    this.#hasOwnChange = true;
  }

  /** Returns the request with the node's lead, and time to fire what the node read early. */
  led<Request extends TimedRequest & { readonly fireWithin: number }>(request: Request): Request & LedRequest {
    const lead = this.#leadTime.within(request.timeWindow);
    return {
      ...request,
      lead,
      fireWithin: Math.max(request.fireWithin, Math.min(lead + LEAD_MARGIN_MS, request.timeWindow)),
    };
  }

  /** Reads due triggers: of this node's share, if more are late than the node takes at once. Null if this node cannot fire one of them. */
  async read(transactions: NodeTransactions, request: LedRequest, memory: ScanMemory): Promise<Reading | null> {
    const isChangedHere = this.#hasOwnChange;
    this.#hasOwnChange = false;
    const ahead = isChangedHere ? null : stillDue(this.#ahead, request);
    this.#ahead = null;
    if (ahead !== null) return ahead;
    const { now, maxCount } = request;
    return this.#places.during(transactions, this.#isBacklog ? BACKLOG_PLACE_MS : PLACE_MS, async (place) => {
      const fillsIn = this.#neglect.isLasting(transactions.node.clock.monotonic());
      this.#beats = new Beats(place, this.#yieldTime.ms, fillsIn);
      const read = (part: OwnPart, count = maxCount) => readDue(transactions, request, memory, { ...part, count });
      const part = this.#beats.partAt(now, request.fireWithin + request.timeWindow);
      const readBacklog = async () => {
        const reading = await read(backlogOfShare(part), BATCHES_READ * maxCount);
        this.#isBacklog = reading !== null && reading.rows.length >= maxCount;
        return reading?.rows.length === 0 ? undefined : reading;
      };
      const share = this.#isBacklog ? await readBacklog() : undefined;
      if (share !== undefined) return share;
      const own = await read(isChangedHere ? { ...part, anyoneBefore: now + 1 } : part);
      const last = own?.isFull ? own.rows.at(-1) : undefined;
      const backlog = last !== undefined && isCrowd(part, last.time) ? await readBacklog() : undefined;
      if (backlog !== undefined) return backlog;
      if (own?.rows.length !== 0) return own;
      const first = await read(EVERYTHING, 1);
      return first && { ...own, next: first.rows[0]?.time ?? null };
    });
  }

  /** Time at which the node reads for a trigger that is due at `time`. */
  readAt(time: EpochMs, now: EpochMs, lead = 0): EpochMs {
    return this.#beats.readAt(time, now, lead);
  }

  /** Time at which the node reads again for triggers with these fire times; undefined if there are none. */
  readAgainAt(times: readonly EpochMs[], now: EpochMs, lead: number): EpochMs | undefined {
    return earliestOf(times.map((time) => this.readAt(time, now, lead)));
  }

  /** Must be called after each train. */
  learn({ clock }: SqlNode, now: EpochMs, { first, planned, won, tookMs, rest }: TrainOutcome): void {
    this.#yieldTime.learn(won, planned);
    this.#leadTime.learn(tookMs);
    if (won === planned) this.#ahead = rest;
    if (won > 0 && this.#beats.isNeglected(first, now)) this.#neglect.add(clock.monotonic());
  }
}

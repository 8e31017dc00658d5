import type { Clock } from '../../../src/base/clock';
import type { NodeJobTypes } from '../../../src/domain/job-types';
import { jobKey, triggerKey } from '../../../src/domain/keys';
import type { NodeLoad } from '../../../src/domain/node-load';
import type { RunningNote } from '../../../src/domain/progress';
import type { RecoveryReport } from '../../../src/domain/recovery';
import type {
  BacklogTrigger,
  ChangeReading,
  CheckInReading,
  ClusterStore,
  EndedSweep,
  FiringRecord,
  JoinResult,
  LeaveReport,
  LoadRecord,
  NodeIdentity,
  NodeRecord,
  NodeSignal,
  NodesReading,
  ReceivedSignal,
  Ring,
  SentSignal,
  SweepReport,
  TypeRowSweep,
  TypeRowSweepRequest,
  WatchRequest,
} from '../../../src/store/cluster-store';

interface Row extends NodeRecord {
  readonly load?: NodeLoad | null;
  readonly signals: readonly ReceivedSignal[];
}

/** An in-process cluster store with its own clock. Tests set everything that it contains besides nodes. */
export class FakeClusterStore implements ClusterStore {
  /** Result of `watchChanges`. */
  waiting: readonly number[] = [];
  /** Number of calls of `watchChanges`. */
  looks = 0;
  /** Number of these calls that counted the backlog. */
  counts = 0;
  /** Entries of `waiting` that only other nodes can run. */
  foreign: ReadonlySet<number> = new Set();
  /** Repairs that the next `sweep` reports. */
  impossible: SweepReport = { released: 0, unblocked: 0 };
  /** Names of triggers, in order. Names with a `!` have no row in the table of their kind. */
  triggers: readonly string[] = [];
  /** Names of COMPLETE triggers, in order. A name with a final `!` has ended by itself. */
  ended: readonly string[] = [];
  orphans: readonly string[] = [];
  /** Arguments of `publishJobTypes`, and its result. */
  readonly published: (readonly string[])[] = [];
  /** Arguments of `publishDraining`. */
  readonly draining: boolean[] = [];
  isMember = true;
  /** Stored version of the time zone data. */
  timeZoneData: string | null = null;
  jobTypes: readonly NodeJobTypes[] = [];
  backlog: readonly BacklogTrigger[] = [];
  firings: readonly FiringRecord[] = [];
  /** Fired-trigger rows of any node, until they are recovered. */
  entries: readonly string[] = [];
  /** Number of further transactions that the recovery of each instance id takes. */
  readonly remainders = new Map<string, number>();
  /** Instance ids whose firings were recovered, in order. */
  readonly recoveries: string[] = [];
  /** Called for each node whose incarnation another node has ended. */
  onRecovered: (instanceId: string) => void = () => undefined;
  /** Awaited before every call with its name. A test may reject it or delay it. */
  before: (method: string) => Promise<void> = async () => undefined;
  /** True if nodes can receive rings; otherwise they only poll. */
  canRing = false;
  /** True if the store could have polled during the last wait for a ring. */
  mayPoll = false;
  /** Loads that check-ins reported, in order. */
  readonly loads: (NodeLoad | null)[] = [];
  readonly #ringWaits: ((ring: Ring | Error) => void)[] = [];

  readonly saved: (readonly [readonly RunningNote[], readonly string[]])[] = [];

  readonly #clock: Pick<Clock, 'now'>;
  readonly #rows = new Map<string, Row>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  async readTimeZoneData(): Promise<string | null> {
    return this.timeZoneData;
  }

  async ensureTimeZoneData(version: string): Promise<string> {
    this.timeZoneData ??= version;
    return this.timeZoneData;
  }

  async replaceTimeZoneData(expected: string, version: string): Promise<boolean> {
    if (this.timeZoneData !== expected) return false;
    this.timeZoneData = version;
    return true;
  }

  /** Stores a node as Java writes it, or as an earlier incarnation left it. */
  put(row: Partial<NodeRecord> & { readonly instanceId: string }): void {
    this.#rows.set(row.instanceId, {
      labels: null,
      draining: false,
      epoch: null,
      lastCheckInTime: this.#clock.now(),
      checkInInterval: 1_000,
      checkInGrace: 2_000,
      version: null,
      timeZoneData: null,
      host: null,
      processId: null,
      process: null,
      startedAt: null,
      clockOffset: null,
      signalSeen: 0,
      signals: [],
      ...row,
    });
  }

  /** Removes a node, as if it had left. */
  remove(instanceId: string): void {
    this.#rows.delete(instanceId);
  }

  row(instanceId: string): NodeRecord | undefined {
    return this.#rows.get(instanceId);
  }

  async readActivity() {
    return { connections: [], lockWaits: { counts: [], sums: [] }, trains: { sent: 0, fired: 0 } };
  }

  /** Sends a ring to all waiting nodes. */
  ring(ring: Ring): void {
    for (const end of this.#ringWaits.splice(0)) end(ring);
  }

  /** Fails all waits for a ring. */
  failRings(): void {
    for (const end of this.#ringWaits.splice(0)) end(new Error('The bell is broken.'));
  }

  async awaitRing(_node: Pick<NodeIdentity, 'epoch'>, signal: AbortSignal, polls: boolean): Promise<Ring | null> {
    this.mayPoll = polls;
    await this.before('awaitRing');
    if (!this.canRing) return null;
    return new Promise((resolve, reject) => {
      const end = (ring: Ring | Error) => (ring instanceof Error ? reject(ring) : resolve(ring));
      this.#ringWaits.push(end);
      signal.addEventListener('abort', () => end('none'));
    });
  }

  async readClock(): Promise<number> {
    await this.before('readClock');
    return this.#clock.now();
  }

  async readNodes(): Promise<NodesReading> {
    await this.before('readNodes');
    return { now: this.#clock.now(), nodes: [...this.#rows.values()] };
  }

  async join(node: NodeIdentity, previous: NodeRecord | null): Promise<JoinResult> {
    await this.before('join');
    const row = this.#rows.get(node.instanceId);
    const isStill = row?.epoch === previous?.epoch && row?.lastCheckInTime === previous?.lastCheckInTime;
    if (row !== undefined && !isStill) return { status: 'taken' };
    this.put({ ...node, instanceId: node.instanceId, startedAt: this.#clock.now() });
    return { status: 'joined', recovery: report(node.instanceId, row === undefined ? 0 : 1) };
  }

  async checkIn(node: NodeIdentity, clockOffset: number, load: NodeLoad | null = null): Promise<CheckInReading> {
    await this.before('checkIn');
    const row = this.#rows.get(node.instanceId);
    const isMember = row?.epoch === node.epoch;
    if (row !== undefined && isMember) {
      const lastCheckInTime = Math.max(row.lastCheckInTime + 1, this.#clock.now());
      this.#rows.set(node.instanceId, { ...row, lastCheckInTime, clockOffset, load: load ?? row.load ?? null });
      this.loads.push(load);
    }
    return { isMember, now: this.#clock.now(), nodes: [...this.#rows.values()] };
  }

  async readLoads(): Promise<readonly LoadRecord[]> {
    await this.before('readLoads');
    return [...this.#rows.values()].map(({ instanceId, lastCheckInTime: at, load = null }) => ({
      instanceId,
      at,
      load,
    }));
  }

  async leave(node: NodeIdentity): Promise<LeaveReport> {
    await this.before('leave');
    if (this.#rows.get(node.instanceId)?.epoch === node.epoch) this.#rows.delete(node.instanceId);
    return { released: 0, executing: 0 };
  }

  async recoverInstance(failed: NodeRecord): Promise<RecoveryReport | null> {
    await this.before('recoverInstance');
    if (this.#rows.get(failed.instanceId)?.lastCheckInTime !== failed.lastCheckInTime) return null;
    this.#rows.delete(failed.instanceId);
    this.recoveries.push(failed.instanceId);
    this.onRecovered(failed.instanceId);
    return this.#reportPart(failed.instanceId);
  }

  async findJsonData() {
    return [];
  }

  async findOrphans(): Promise<readonly string[]> {
    await this.before('findOrphans');
    return this.orphans;
  }

  async recoverOrphan(instanceId: string): Promise<RecoveryReport | null> {
    await this.before('recoverOrphan');
    if (this.#rows.has(instanceId)) return null;
    this.recoveries.push(instanceId);
    return this.#reportPart(instanceId);
  }

  #reportPart(instanceId: string): RecoveryReport {
    const left = this.remainders.get(instanceId) ?? 0;
    this.remainders.set(instanceId, left - 1);
    return { ...report(instanceId, 1), ...(left > 0 && { hasMore: true as const }) };
  }

  async findFiringsOf(): Promise<readonly string[]> {
    await this.before('findFiringsOf');
    return this.entries;
  }

  async recoverUnheld(node: NodeIdentity, runIds: readonly string[]): Promise<RecoveryReport | null> {
    await this.before('recoverUnheld');
    this.entries = this.entries.filter((entry) => !runIds.includes(entry));
    return report(node.instanceId, runIds.length);
  }

  async sweep(): Promise<SweepReport> {
    await this.before('sweep');
    const repaired = this.impossible;
    this.impossible = { released: 0, unblocked: 0 };
    return repaired;
  }

  async sweepEnded({ after, maxCount }: TypeRowSweepRequest): Promise<EndedSweep> {
    await this.before('sweepEnded');
    const page = this.ended.filter((name) => after === null || name > after.name).slice(0, maxCount);
    const deleted = page.filter((name) => name.endsWith('!')).map((name) => triggerKey(name));
    this.ended = this.ended.filter((name) => !deleted.some((key) => key.name === name));
    const next = page.length < maxCount ? null : triggerKey(page.at(-1) as string);
    return { deletedTriggers: deleted, deletedJobs: deleted.map(({ name }) => jobKey(name)), next };
  }

  async sweepTypeRows({ after, maxCount }: TypeRowSweepRequest): Promise<TypeRowSweep> {
    await this.before('sweepTypeRows');
    const page = this.triggers.filter((name) => after === null || name > after.name).slice(0, maxCount);
    const failed = page.filter((name) => name.endsWith('!')).map((name) => triggerKey(name));
    this.triggers = this.triggers.filter((name) => !failed.some((key) => key.name === name));
    return { failed, next: page.length < maxCount ? null : triggerKey(page.at(-1) as string) };
  }

  async readFirstToFire(): Promise<number | null> {
    await this.before('readFirstToFire');
    return this.waiting.length === 0 ? null : Math.min(...this.waiting);
  }

  async watchChanges({ instanceId, epoch, lookBack, isCounted }: WatchRequest): Promise<ChangeReading> {
    await this.before('watchChanges');
    this.looks++;
    const now = this.#clock.now();
    const times = this.waiting.filter((time) => time >= now - lookBack).sort((a, b) => a - b);
    const row = this.#rows.get(instanceId);
    const signalNumber = row?.epoch === epoch ? (row.signals.at(-1)?.number ?? 0) : null;
    const late = this.waiting.filter((time) => time < now - lookBack);
    if (isCounted) this.counts++;
    const backlog = isCounted ? { count: late.length, fingerprint: late.join() } : null;
    return { now, earliest: times[0] ?? null, fingerprint: times.join(), backlog, signalNumber };
  }

  async findInBacklog(now: number): Promise<number | null> {
    await this.before('findInBacklog');
    const ours = this.waiting.filter((time) => time <= now && !this.foreign.has(time));
    return ours.length === 0 ? null : Math.min(...ours);
  }

  async sendSignal(instanceIds: readonly string[], signal: NodeSignal): Promise<readonly SentSignal[]> {
    await this.before('sendSignal');
    return instanceIds.flatMap((instanceId) => {
      const row = this.#rows.get(instanceId);
      if (row === undefined || row.epoch === null) return [];
      const number = row.signals.length + 1;
      this.#rows.set(instanceId, { ...row, signals: [...row.signals, { number, signal }] });
      return [{ instanceId, epoch: row.epoch, number }];
    });
  }

  async receiveSignals({ instanceId }: NodeIdentity, after: number): Promise<readonly ReceivedSignal[]> {
    await this.before('receiveSignals');
    return this.#rows.get(instanceId)?.signals.filter(({ number }) => number > after) ?? [];
  }

  async acknowledgeSignals({ instanceId }: Pick<NodeIdentity, 'instanceId'>, number: number): Promise<void> {
    await this.before('acknowledgeSignals');
    const row = this.#rows.get(instanceId);
    if (row !== undefined) this.#rows.set(instanceId, { ...row, signalSeen: number });
  }

  async publishJobTypes(jobTypes: readonly string[]): Promise<boolean> {
    await this.before('publishJobTypes');
    this.published.push(jobTypes);
    return this.isMember;
  }

  async publishDraining(isDraining: boolean): Promise<boolean> {
    await this.before('publishDraining');
    this.draining.push(isDraining);
    return this.isMember;
  }

  async readJobTypes(): Promise<readonly NodeJobTypes[]> {
    await this.before('readJobTypes');
    return this.jobTypes;
  }

  async readBacklog(before: number, maxCount: number): Promise<readonly BacklogTrigger[]> {
    await this.before('readBacklog');
    return this.backlog.filter(({ nextFireTime }) => nextFireTime < before).slice(0, maxCount);
  }

  async saveProgress(said: readonly RunningNote[], ended: readonly string[]): Promise<void> {
    await this.before('saveProgress');
    this.saved.push([said, ended]);
  }

  async findRunning(): Promise<null> {
    return null;
  }

  async newestRun(): Promise<string | null> {
    await this.before('newestRun');
    return null;
  }

  async getFirings(): Promise<readonly FiringRecord[]> {
    await this.before('getFirings');
    return this.firings;
  }
}

function report(instanceId: string, lost: number): RecoveryReport {
  return { instanceId, released: 0, recovered: [], exhausted: [], lost };
}

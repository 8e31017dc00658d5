import { SystemClock } from '../../../src/base/clock';
import { completesWithin } from '../../../src/base/sleep';
import { Cluster, type ClusterSettings, type Launch } from '../../cluster/support/cluster';
import { monotonic } from '../../cluster/support/monotonic.cjs';
import type { NodeProcess } from '../../cluster/support/node-process';
import { pause } from '../../cluster/support/time';
import type { ExpectedTrigger } from '../../cluster/support/workload';
import type { Run } from '../checker/check-history';
import type { Disturbance } from '../checker/lateness';
import type { World } from './database';
import { FaultyLink } from './faulty-link';

/** A member of the cluster. Its process changes when it is killed and started again. */
export interface Member {
  readonly name: string;
  readonly launch: Omit<Launch, 'name'>;
  readonly link: FaultyLink | null;
  process: NodeProcess | null;
  lives: number;
}

export interface FleetOptions {
  readonly settings: ClusterSettings;
  /** True if each node has a separate proxy. */
  readonly hasLinks: boolean;
  /** True if a member keeps its instance id, instead of AUTO. */
  readonly hasFixedIds: boolean;
  readonly random: () => number;
}

const clock = new SystemClock();

/** Maximum time for the start of a node while its database is disturbed, and for its shutdown. Milliseconds. */
const START_PATIENCE = 60_000;
const STOP_PATIENCE = 40_000;
const RESTART_DELAY = 300;

/** The processes of a cluster, and their faults. */
export class Fleet {
  readonly cluster: Cluster;
  readonly members: Member[] = [];
  /** Faults, with the times until which they may delay firings. */
  readonly disturbances: Disturbance[] = [];
  /** Number of faults by kind. */
  readonly deeds: Record<string, number> = {};
  /** Problems that no fault explains. */
  readonly findings: string[] = [];
  readonly #world: World;
  readonly #options: FleetOptions;
  readonly #stops: { readonly node: string; readonly from: number; to: number }[] = [];

  private constructor(world: World, cluster: Cluster, options: FleetOptions) {
    this.#world = world;
    this.cluster = cluster;
    this.#options = options;
  }

  static async on(world: World, options: FleetOptions): Promise<Fleet> {
    return new Fleet(world, await Cluster.with(world.tables, options.settings), options);
  }

  get living(): readonly Member[] {
    return this.members.filter(({ process }) => process?.isAlive);
  }

  get links(): readonly FaultyLink[] {
    return this.members.flatMap(({ link }) => (link === null ? [] : [link]));
  }

  async add(name: string, launch: Omit<Launch, 'name'> = {}): Promise<Member> {
    const { hasLinks, random } = this.#options;
    const link = hasLinks ? await FaultyLink.to(this.#world.port, random) : null;
    const member: Member = { name, launch, link, process: null, lives: 0 };
    this.members.push(member);
    await this.start(member);
    return member;
  }

  /** Starts a process. Retries if it fails, because the database may be unavailable. */
  async start(member: Member, more: Omit<Launch, 'name'> = {}): Promise<void> {
    const instanceId = this.#options.hasFixedIds ? member.name : 'AUTO';
    const url = member.link === null ? null : this.#world.urlAt(member.link.port);
    for (const end = monotonic() + START_PATIENCE; ; await pause(RESTART_DELAY)) {
      member.lives += 1;
      const name = `${member.name}-${member.lives}`;
      try {
        member.process = await this.cluster.launch({ instanceId, url, ...member.launch, ...more, name });
        return;
      } catch (error) {
        await this.cluster.discard(name);
        if (monotonic() > end) throw new Error(`${name} does not start: ${(error as Error).message}`);
      }
    }
  }

  /** `kill -9`. */
  async kill(member: Member): Promise<void> {
    if (member.process === null) return;
    this.count('kill');
    const from = monotonic();
    await this.cluster.kill(member.process);
    this.disturbances.push({ kind: 'death', from, to: from });
  }

  /** Stops the process with SIGSTOP for `duration` ms. */
  async freeze({ process }: Member, duration: number, isAll = false): Promise<void> {
    if (process === null) return;
    this.count('freeze');
    const stop = { node: process.name, from: monotonic(), to: Number.POSITIVE_INFINITY };
    this.#stops.push(stop);
    process.send('SIGSTOP');
    await pause(duration);
    stop.to = monotonic();
    process.send('SIGCONT');
    const { from, to } = stop;
    // Triggers reserved by a stopped node wait until it counts as failed. A node that locks the SQLite file is detected when it continues.
    if (isAll) this.disturbances.push({ kind: 'outage', from, to });
    else this.disturbances.push({ kind: 'death', from, to: from }, { kind: 'death', from: to, to });
  }

  /** Shuts the process down. A process that hangs is killed and reported as a finding. */
  async stop(member: Member, parameters: object = {}): Promise<void> {
    const { process } = member;
    if (process === null || !process.isAlive) return;
    const stopped = process.command('stop', parameters).catch(() => undefined);
    if (!(await completesWithin(clock, STOP_PATIENCE, stopped))) {
      this.findings.push(`${process.name} did not stop within ${STOP_PATIENCE} ms`);
    }
    await this.cluster.discard(process.name);
    member.process = null;
  }

  /** Stops all processes, so that the history is complete. */
  async stopAll(): Promise<void> {
    await Promise.all(this.living.map((member) => this.stop(member)));
  }

  /** Counts a fault. */
  count(fault: string): void {
    this.deeds[fault] = (this.deeds[fault] ?? 0) + 1;
  }

  /** Records a fault of the database or of its links while `work` runs. */
  async during<T>(kind: Disturbance['kind'], fault: string, work: () => Promise<T>): Promise<T> {
    this.count(fault);
    const from = monotonic();
    try {
      return await work();
    } finally {
      this.disturbances.push({ kind, from, to: monotonic() });
    }
  }

  async run(expected: readonly ExpectedTrigger[]): Promise<Run> {
    return { ...(await this.cluster.run(expected)), fenced: 'all', stops: this.#stops };
  }

  async close(): Promise<void> {
    for (const link of this.links) link.close();
    await this.cluster.dispose();
  }
}

import { isDeepStrictEqual } from 'node:util';
import type { TriggerFiring } from '../../../src/domain/firing';
import { triggerKey } from '../../../src/domain/keys';
import type { SqlDriver } from '../../../src/store/sql/runtime/sql-driver';
import { DAY, everyMinute, job, NOW } from '../../conformance/samples';
import { GatedDriver, withoutScripts } from '../../support/database/gated-driver';
import { LockQueue } from '../../support/database/lock-queue';
import { openStores, type StoreDatabase, testNode } from '../../support/database/sql-store';
import {
  type Bystander,
  createDatabase,
  flavourOfTests,
  sharedServer,
  type TestDatabase,
} from '../../support/database/test-database';
import { PacketGate } from '../../support/packet-gate';
import { calendarIntervalTrigger } from '../../support/sample-triggers';
import type { TrainEvent } from './events';
import { executingOn, Ledger, type Outcome, rowsOf } from './outcome';
import { type Scene, storeSchedule, TrainNode } from './scene';

export type Order = 'event first' | 'train first';

/** Interruption between the node and its database during the train. */
export interface Interruption {
  /** Arranges what happens at the boundaries of the next train. */
  arrange(scene: Scene, event: TrainEvent, gate: GatedDriver): void;
  /** Resolves when everything arranged has ended. Called when the train has returned. */
  ended(gate: GatedDriver): Promise<void>;
}

/** Outcomes under the lock, by event and order. They are the same on every server. */
const expectedOutcomes = new Map<string, Promise<Outcome>>();

interface Parts {
  readonly database: TestDatabase;
  readonly queue: LockQueue;
  /** The gate for packets; null if the suite has no faults. */
  readonly packets: PacketGate | null;
  readonly mine: StoreDatabase;
  readonly peer: StoreDatabase;
  readonly bystander: Bystander;
}

/** One database, with the connections of two nodes and of a bystander, for all tests of a suite. */
export class Stage {
  readonly #parts: Parts;
  #regular: TrainNode | null = null;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static async open({ hasFaults }: { readonly hasFaults: boolean }): Promise<Stage> {
    const database = await createDatabase(await sharedServer());
    const peer = await openStores(database.url);
    const packets = hasFaults ? await PacketGate.before(database.url, endsFlush) : null;
    const mine = await openStores(packets?.url ?? database.url);
    const queue = await LockQueue.open(database);
    return new Stage({ database, queue, packets, mine, peer, bystander: await database.connect() });
  }

  get queue(): LockQueue {
    return this.#parts.queue;
  }

  get packets(): PacketGate | null {
    return this.#parts.packets;
  }

  async close(): Promise<void> {
    const { database, queue, packets, mine, peer, bystander } = this.#parts;
    await queue.close();
    await bystander.close();
    await mine.close();
    await peer.close();
    await packets?.close();
    await database.drop();
  }

  /** Creates two nodes on a new schedule, and prepares the event. */
  async scene(event: TrainEvent, wrap: (driver: SqlDriver) => SqlDriver): Promise<Scene> {
    const { schedName } = testNode();
    const { bystander } = this.#parts;
    const mineDriver = wrap(this.#parts.mine.driver);
    const peerDriver = wrap(this.#parts.peer.driver);
    const mine = await new TrainNode(mineDriver, schedName, 'mine').begin();
    const peer = await new TrainNode(peerDriver, schedName, 'peer').begin();
    const another = (instanceId: string, epoch: string) => new TrainNode(peerDriver, schedName, instanceId, epoch);
    const scene = { schedName, mine, peer, bystander, another, prepared: new Map() };
    await storeSchedule(peer);
    await event.prepare?.(scene);
    return scene;
  }

  /** Plays the event, and compares the outcome with that of an acquisition under the lock, before or after the event. */
  async prove(event: TrainEvent, order: Order, interruption: Interruption): Promise<void> {
    const outcome = await this.play(event, interruption);
    const expected = await this.expected(event, order);
    const isLater = event.isAddition && !isDeepStrictEqual(outcome, expected);
    expect(outcome).toEqual(isLater ? await this.expected(event, 'train first') : expected);
  }

  /** Returns the outcome if the event and an acquisition under the lock follow each other. */
  expected(event: TrainEvent, order: Order): Promise<Outcome> {
    const name = `${event.name}: ${order}`;
    const known = expectedOutcomes.get(name) ?? this.#inOrder(event, order);
    expectedOutcomes.set(name, known);
    return known;
  }

  /** Lets a train meet the event, and fires and ends everything that is due then. */
  async play(event: TrainEvent, interruption: Interruption): Promise<Outcome> {
    let gate: GatedDriver | undefined;
    const scene = await this.scene(event, (driver) => {
      const gated = new GatedDriver(driver);
      gate ??= gated;
      return gated;
    });
    const mine = gate as GatedDriver;
    if (this.packets !== null) await this.sendRegular();
    interruption.arrange(scene, event, mine);
    const fired = await scene.mine.fireDue();
    await interruption.ended(mine);
    const ids = fired.map(({ runId }) => runId).sort();
    expect(ids).toEqual(scene.mine.isMember ? await executingOn(scene.mine, scene) : []);
    return this.#rest(scene, event, fired);
  }

  /** Fires and ends runs of another schedule, so that the next flush finds a connection on which all its statements are prepared. */
  async sendRegular(): Promise<void> {
    this.#regular ??= await regularNode(this.#parts.mine.driver);
    const node = this.#regular;
    node.now += DAY;
    const fired = await node.fireDue();
    expect(fired).toHaveLength(2);
    await node.end(fired);
  }

  async #inOrder(event: TrainEvent, order: Order): Promise<Outcome> {
    const scene = await this.scene(event, withoutScripts);
    if (order === 'event first') await happen(scene, event);
    const fired = await scene.mine.fireDue();
    if (order === 'train first') await happen(scene, event);
    return this.#rest(scene, event, fired);
  }

  async #rest(scene: Scene, { storesAgain = false }: TrainEvent, fired: readonly TriggerFiring[]): Promise<Outcome> {
    const ledger = new Ledger(scene);
    ledger.add(scene.mine, fired, storesAgain);
    ledger.add(scene.peer, (scene.prepared.get('fired') as readonly TriggerFiring[] | undefined) ?? [], storesAgain);
    await ledger.fireRest(storesAgain);
    const rows = await rowsOf(scene.bystander, scene.schedName);
    await ledger.endAll();
    return { firings: ledger.firings, fired: rows, ended: await rowsOf(scene.bystander, scene.schedName) };
  }
}

/** Runs the event as a whole. */
export async function happen(scene: Scene, event: TrainEvent): Promise<void> {
  if (event.fences) scene.mine.isMember = false;
  await event.happen(scene);
}

/** A node whose triggers of each kind are due once a day. */
async function regularNode(driver: SqlDriver): Promise<TrainNode> {
  const { schedName } = testNode();
  const node = await new TrainNode(driver, schedName, 'regular').begin();
  const tomorrow = { startTime: NOW + DAY, endTime: null };
  const simple = everyMinute('simple', { ...tomorrow, repeatInterval: DAY });
  const daily = { ...calendarIntervalTrigger(), ...tomorrow, key: triggerKey('daily') };
  await node.schedule(job('serial', { disallowConcurrentExecution: true }), simple);
  await node.schedule(job('other'), daily);
  return node;
}

/** On MariaDB, a flush is one packet. */
export function endsFlush(packet: Buffer): boolean {
  return flavourOfTests() === 'mariadb' || packet.includes('COMMIT');
}

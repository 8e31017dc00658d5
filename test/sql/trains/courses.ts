import type { Boundary, GatedDriver } from '../../support/database/gated-driver';
import type { LockQueue } from '../../support/database/lock-queue';
import type { FlushFault, PacketGate } from '../../support/packet-gate';
import type { TrainEvent } from './events';
import type { Scene } from './scene';
import { happen, type Interruption, type Order } from './stage';

/** Place of an event in the course of a train: before one of its boundaries, or in the queue for the lock. */
export type Place =
  | Boundary
  /** In front of the train. */
  | 'queue'
  /** Behind the train. */
  | 'behind'
  /** Before the flush of the train that repeats the first one. */
  | 'repetition';

/** A train, the fault of its flush, and the order in which an event at each place takes effect. */
export interface Course {
  /** Completes the sentence "A train …". */
  readonly name: string;
  readonly places: Readonly<Partial<Record<Place, Order>>>;
  readonly fault?: FlushFault;
  /** True if the server ends the train's session while it waits for the lock. */
  readonly isKilled?: true;
  /** When a late flush arrives. */
  readonly arrives?: 'repetition' | 'end';
}

const EVENT_FIRST = 'event first';
const TRAIN_FIRST = 'train first';

export const WITHOUT_FAULT: Course = {
  name: 'without a fault',
  places: {
    reading: EVENT_FIRST,
    flush: EVENT_FIRST,
    queue: EVENT_FIRST,
    behind: TRAIN_FIRST,
    answer: TRAIN_FIRST,
  },
};

/** Every fault at every boundary. */
export const WITH_FAULTS: readonly Course[] = [
  { name: 'whose flush is lost', fault: 'lost', places: { flush: EVENT_FIRST, lookUp: EVENT_FIRST } },
  { name: 'that is killed in the queue', isKilled: true, places: { queue: EVENT_FIRST, behind: EVENT_FIRST } },
  {
    name: 'whose answer is lost',
    fault: 'answerLost',
    places: { flush: EVENT_FIRST, queue: EVENT_FIRST, behind: TRAIN_FIRST, lookUp: TRAIN_FIRST },
  },
  {
    name: 'that arrives during its repetition',
    fault: 'late',
    arrives: 'repetition',
    places: { flush: EVENT_FIRST, lookUp: EVENT_FIRST, repetition: EVENT_FIRST },
  },
  {
    name: 'that arrives at the very end',
    fault: 'late',
    arrives: 'end',
    places: { flush: EVENT_FIRST, lookUp: EVENT_FIRST, repetition: EVENT_FIRST },
  },
];

/** Arranges one course with an event at one place. */
export class Disturbance implements Interruption {
  readonly #course: Course;
  readonly #place: Place;
  readonly #queue: LockQueue;
  readonly #packets: PacketGate | null;
  #isUnderWay: Promise<unknown> = Promise.resolve();

  constructor(course: Course, place: Place, { queue, packets }: { queue: LockQueue; packets: PacketGate | null }) {
    this.#course = course;
    this.#place = place;
    this.#queue = queue;
    this.#packets = packets;
  }

  arrange(scene: Scene, event: TrainEvent, gate: GatedDriver): void {
    const place = this.#place;
    const { arrives } = this.#course;
    if (place !== 'reading') this.#meetAtFlush(scene, event, gate);
    if (place === 'reading' || place === 'lookUp' || place === 'answer') gate.at(place, () => happen(scene, event));
    if (place !== 'repetition' && arrives !== 'repetition') return;
    gate.at('flush', async () => {
      if (place === 'repetition') await happen(scene, event);
      if (arrives === 'repetition') await this.#packets?.deliver();
    });
  }

  async ended(gate: GatedDriver): Promise<void> {
    await this.#isUnderWay;
    await this.#packets?.deliver();
    // After the event, the repetition may have nothing to send.
    const left = gate.clear();
    if (this.#course.arrives !== 'repetition') expect(left).toEqual([]);
  }

  #meetAtFlush(scene: Scene, event: TrainEvent, gate: GatedDriver): void {
    const place = this.#place;
    const { fault } = this.#course;
    gate.at('flush', async () => {
      if (place === 'flush') await happen(scene, event);
      if (place === 'queue' || place === 'behind') await this.#enqueue(scene, event);
      if (fault !== undefined) this.#packets?.faultNextFlush(fault);
    });
  }

  /** Holds the lock until the event and the train wait for it, one behind the other. */
  async #enqueue(scene: Scene, event: TrainEvent): Promise<void> {
    const queue = this.#queue;
    await queue.hold(scene.schedName);
    const isAhead = this.#place === 'queue';
    const ahead = isAhead ? happen(scene, event) : Promise.resolve();
    const before = isAhead ? await queue.arrived(1, ahead) : [];
    const wait = async () => {
      const waiting = await queue.arrived(before.length + 1, NEVER); // the train, which is sent when this method has returned
      const behind = isAhead ? ahead : happen(scene, event);
      if (!isAhead) await queue.arrived(2, behind);
      for (const thread of waiting) if (this.#course.isKilled && !before.includes(thread)) await queue.kill(thread);
      await queue.release();
      await behind;
    };
    this.#isUnderWay = wait();
  }
}

const NEVER = new Promise<never>(() => undefined);

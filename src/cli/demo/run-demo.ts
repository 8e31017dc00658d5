import { pino } from 'pino';
import { SystemClock } from '../../base/clock';
import { toError } from '../../base/errors';
import { sleepFor } from '../../base/sleep';
import type { Configuration } from '../../config/configuration';
import type { SqlStoreConfig } from '../../config/scheduler-config';
import { createScheduler } from '../../scheduler/create-scheduler';
import { CommandFailure } from '../exit-codes';
import type { Output } from '../output';
import { DemoBoard } from './demo-board';
import { type DemoGround, onDatabase, ownFile } from './demo-ground';
import type { FromNode } from './demo-messages';
import { type DemoNode, startDemoNode } from './demo-nodes';
import { type DemoVerdict, firingName, judgeDemo, type Kill, keptPromises } from './demo-verdict';
import { DemoView } from './demo-view';
import { type DemoPlan, planDemo, RECOVERABLE_JOB, scheduleDemo } from './demo-workload';

export interface DemoSettings {
  /** Milliseconds from the first start to the summary, more or less. */
  readonly duration: number;
  readonly nodes: number;
  /** Where the tables are; null: in a SQLite file of its own, which is deleted at the end. */
  readonly sql: SqlStoreConfig | null;
  readonly output: Output;
  /** Aborts the demo. */
  readonly signal: AbortSignal;
}

/** Milliseconds for the nodes to start before the first firing, and for the last jobs to end after the last one. */
const LEAD = 2_500;
const TAIL = 4_500;

/** On a machine that is busy with something else, what was due may still come; only later than this it counts as missing. */
const PATIENCE = 20_000;

/** When a node is killed, as a share of the time in which triggers fire. */
const KILL_AFTER = 0.3;
const LOOK_INTERVAL = 100;

const clock = new SystemClock();

/** Runs the demo and leaves nothing of it behind. Rejects with CommandFailure when it was aborted. */
export async function runDemo(settings: DemoSettings): Promise<DemoVerdict> {
  const ground = settings.sql === null ? ownFile() : onDatabase(settings.sql);
  const nodes: DemoNode[] = [];
  let hasBegun = false;
  try {
    const plan = planDemo(clock.now() + LEAD, settings.duration - LEAD - TAIL);
    await withScheduler(ground.config('planner'), async (scheduler) => {
      hasBegun = true;
      await scheduleDemo(scheduler, plan);
    });
    return await new Demo(settings, plan, nodes).run((instanceId) => ground.config(instanceId));
  } finally {
    for (const node of nodes) node.kill();
    await Promise.all(nodes.map(({ ended }) => ended));
    if (hasBegun || settings.sql === null) await leave(ground, settings.output);
  }
}

/** That it did not work must not hide how the demo ended. */
async function leave(ground: DemoGround, output: Output): Promise<void> {
  try {
    await ground.leave();
  } catch (error) {
    const { schedulerName } = ground;
    output.note(
      `${output.noteStyle('yellow', 'warning:')} the rows of the demo could not be deleted (${toError(error).message}). ` +
        `They have the SCHED_NAME '${schedulerName}', and disturb nobody.`,
    );
  }
}

class Demo {
  readonly #settings: DemoSettings;
  readonly #plan: DemoPlan;
  readonly #nodes: DemoNode[];
  readonly #board = new DemoBoard();
  readonly #view: DemoView;
  readonly #told = new Set<string>();

  constructor(settings: DemoSettings, plan: DemoPlan, nodes: DemoNode[]) {
    this.#settings = settings;
    this.#plan = plan;
    this.#nodes = nodes;
    this.#view = new DemoView(settings.output, this.#board, clock.now());
  }

  async run(config: (instanceId: string) => object): Promise<DemoVerdict> {
    const names = Array.from({ length: this.#settings.nodes }, (_, index) => `node-${index + 1}`);
    await Promise.all(names.map((name) => this.#start(name, config(name))));
    const { firstFireTime, lastFireTime } = this.#plan;
    const kill = await this.#killOne(firstFireTime + (lastFireTime - firstFireTime) * KILL_AFTER);
    await this.#watchUntil(() => clock.now() >= lastFireTime);
    const isDone = () => this.#isQuiet() && keptPromises(judgeDemo(this.#plan, this.#board, kill));
    await this.#watchUntil(() => isDone() || clock.now() >= lastFireTime + PATIENCE);
    this.#view.end(clock.now());
    const living = this.#nodes.filter(({ name }) => name !== kill.node);
    await Promise.all(living.map((node) => node.stop()));
    return judgeDemo(this.#plan, this.#board, kill);
  }

  async #start(name: string, config: object): Promise<void> {
    this.#board.add(name);
    const node = startDemoNode(name, config, (message) => this.#hear(name, message));
    this.#nodes.push(node);
    await node.ready;
    this.#board.ready(name, node.processId);
    this.#view.tell(clock.now(), `${name} is running as process ${node.processId}`);
  }

  /** Kills the node that runs most of what asks to be run again, as soon after `time` as there is one. */
  async #killOne(time: number): Promise<Kill> {
    const candidates = () =>
      this.#nodes
        .map((node) => ({ node, interrupted: this.#recoverable(node.name) }))
        .sort((a, b) => b.interrupted.length - a.interrupted.length);
    await this.#watchUntil(() => clock.now() >= time && (candidates()[0]?.interrupted.length ?? 0) > 0);
    const [chosen] = candidates();
    if (chosen === undefined) throw new CommandFailure('FAILURE', 'no node is left to be killed.');
    const { node, interrupted } = chosen;
    const at = clock.now();
    node.kill();
    this.#board.killed(node.name);
    const names = interrupted.map(({ trigger, scheduledFireTime }) => firingName(trigger, scheduledFireTime));
    const jobs = interrupted.map(({ trigger }) => trigger).join(', ');
    this.#say('red', at, `kill -9 ${node.processId}: ${node.name} dies in the middle of ${jobs}`);
    return { node: node.name, at, interrupted: names };
  }

  #recoverable(name: string) {
    return this.#board.running(name).filter(({ job, recovers }) => job === RECOVERABLE_JOB && recovers === null);
  }

  #hear(name: string, message: FromNode): void {
    this.#board.hear(name, message);
    switch (message.type) {
      case 'peerFailed':
        this.#sayOnce('yellow', message.at, `${message.instanceId} counts as dead: its process has ended`);
        break;
      case 'peerRecovered':
        this.#say('yellow', message.at, `${name} takes over what ${message.instanceId} held`);
        break;
      case 'trouble':
        this.#say('red', message.at, `${name}: ${message.message}`);
        break;
      case 'started':
        if (message.recovers !== null) this.#say('green', message.at, `${name} runs ${message.recovers.trigger} again`);
        break;
    }
  }

  #sayOnce(style: 'yellow', at: number, text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#say(style, at, text);
  }

  #say(style: 'red' | 'yellow' | 'green', at: number, text: string): void {
    this.#view.tell(at, this.#settings.output.style(style, text));
  }

  #isQuiet(): boolean {
    return this.#board.figures().every(({ state, running }) => state !== 'alive' || running.length === 0);
  }

  async #watchUntil(isOver: () => boolean): Promise<void> {
    const { signal } = this.#settings;
    while (!isOver()) {
      await sleepFor(clock, LOOK_INTERVAL, signal);
      if (signal.aborted) throw new CommandFailure('INTERRUPTED', 'the demo was interrupted.');
      this.#view.refresh(clock.now());
    }
  }
}

async function withScheduler(
  config: object,
  work: (scheduler: Awaited<ReturnType<typeof createScheduler>>) => Promise<void>,
): Promise<void> {
  const scheduler = await createScheduler(config as Configuration, { logger: pino({ level: 'silent' }) });
  try {
    await work(scheduler);
  } finally {
    await scheduler.shutdown();
  }
}

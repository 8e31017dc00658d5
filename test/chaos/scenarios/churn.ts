import { SCHED_NAME } from '../../cluster/support/cluster';
import type { Start } from '../../cluster/support/history';
import { monotonic } from '../../cluster/support/monotonic.cjs';
import { now, pause } from '../../cluster/support/time';
import { describeStart, endOf, type Facts, factsOf, grouped, type Run } from '../checker/facts';
import { readRest } from '../checker/rest';
import type { Outcome, OwnScenario, RunOptions } from '../scenario';
import { untilCaughtUp } from '../world/at-rest';
import { FaultyLink } from '../world/faulty-link';
import { seededRandom } from '../world/random';
import { withFleet } from '../world/stage';
import { type Call, ChurnClient, type Definition, isExclusive } from './churn-client';

/*
 * Clients change the schedule as fast as calls return while nodes fire it. A trigger whose pause or deletion was acknowledged does not begin, no fire
 * time is fired twice, and at the end each trigger fires by its last definition.
 */

const CLIENTS = 4;
/** Times after the changes: time in which paused triggers catch up, and the period that is checked. Milliseconds. */
const SETTLING = 2_000;
const CALM = 10_000;

type Faults = 'none' | 'kill' | 'commits';
type Scene = Parameters<Parameters<typeof withFleet>[2]>[0];

async function play(options: RunOptions, faults: Faults): Promise<Outcome> {
  return withFleet(options, {}, async (scene) => {
    const { world, fleet } = scene;
    const links: FaultyLink[] = [];
    const clients: ChurnClient[] = [];
    const schedulers = [];
    for (let index = 0; index < CLIENTS; index++) {
      const random = seededRandom(options.seed * 100 + index);
      const link = faults === 'commits' ? await FaultyLink.to(world.port, () => random.share()) : null;
      if (link !== null) links.push(link);
      const url = link === null ? null : world.urlAt(link.port);
      // In a store thread, because this thread checks other runs for seconds, in which the database would end its transactions.
      const scheduler = await fleet.cluster.bystander(`client-${index}`, url, { storeThread: true });
      schedulers.push(scheduler);
      clients.push(new ChurnClient(index, scheduler, random));
    }
    try {
      await Promise.all(clients.map((client) => client.begin()));
      for (const { state } of links) state.commits = { share: 0.03, how: options.seed % 2 === 0 ? 'before' : 'after' };
      const end = now() + options.seconds * 1_000;
      const changing = clients.map(async (client) => {
        while (now() < end) await client.change();
      });
      await Promise.all([...changing, ...(faults === 'kill' ? [killing(scene, end)] : [])]);
      for (const link of links) link.heal();
      await Promise.all(clients.map((client) => client.end()));
      await untilCaughtUp(world);
      const calm = { from: now() + SETTLING, to: now() + SETTLING + CALM };
      await pause(SETTLING + CALM);
      await untilCaughtUp(world);
      const stuck = await stuckRows(scene);
      await fleet.stopAll();
      return judge(await fleet.run([]), clients, { calm, stuck });
    } finally {
      await Promise.all(schedulers.map((scheduler) => scheduler.shutdown()));
      for (const link of links) link.close();
    }
  });
}

async function killing({ fleet, random }: Scene, end: number): Promise<void> {
  while (now() < end - 4_000) {
    await pause(random.between(3_000, 8_000));
    const member = random.pick(fleet.living);
    await fleet.kill(member);
    await fleet.start(member);
  }
}

/** Inconsistent rows that still exist two seconds later. */
async function stuckRows({ world }: Scene): Promise<readonly string[]> {
  const first = await readRest(world.tables, SCHED_NAME);
  await pause(2_000);
  const { impossible } = await readRest(world.tables, SCHED_NAME);
  return impossible.filter((row) => first.impossible.includes(row));
}

interface Seen {
  readonly calm: { readonly from: number; readonly to: number };
  readonly stuck: readonly string[];
}

function judge(run: Run, clients: readonly ChurnClient[], { calm, stuck }: Seen): Outcome {
  const facts = factsOf(run);
  const calls = clients.flatMap((client) => client.calls);
  const definitions = new Map(clients.flatMap((client) => [...client.definitions]));
  return {
    counts: {
      started: facts.ordinary.length,
      changes: calls.filter(({ isAnswered }) => isAnswered).length,
      unanswered: clients.reduce((sum, { failures }) => sum + failures, 0),
      killedNodes: run.killed.size,
    },
    violations: {
      startedTwice: startedTwice(facts, calls),
      startedAlthoughStopped: startedAlthoughStopped(facts, calls),
      overlapping: overlapping(facts),
      notAsDefined: [...definitions].flatMap(([name, definition]) => notAsDefined(facts, name, definition, calm)),
      surprises: clients.flatMap((client) => client.surprises),
      statesRepaired: facts.events.filter(({ type }) => type === 'statesRepaired').map(({ node }) => node),
      crashes: run.history.flatMap((line) => (line.line === 'crash' ? [`${line.node}: ${line.error}`] : [])),
      leftAtRest: stuck,
    },
  };
}

/** Fire times that began twice. A deleted trigger that is stored again may have the same fire time again. */
function startedTwice({ ordinary }: Facts, calls: readonly Call[]): readonly string[] {
  const before = new Map<string, Start>();
  return ordinary.flatMap((start) => {
    const key = `${start.trigger} ${start.time}`;
    const first = before.get(key);
    before.set(key, start);
    if (first === undefined) return [];
    const isDeleted = calls.some(
      ({ what, triggers, from, to }) =>
        what === 'delete' && triggers.includes(start.trigger) && from < start.mono && to > first.mono - 3_000,
    );
    return isDeleted ? [] : [`${describeStart(first)} and ${describeStart(start)}`];
  });
}

/** Maximum time until another node begins a firing that was stored before. Milliseconds. */
const BEGINS_WITHIN = 500;

/** Runs that began between the response to a pause or deletion and the next call that lets the trigger fire. Only a pause waits for firings. */
function startedAlthoughStopped({ ordinary }: Facts, calls: readonly Call[]): readonly string[] {
  const starts = grouped(ordinary, ({ trigger }) => trigger);
  return calls
    .filter(({ what, isAnswered }) => what !== 'go' && isAnswered)
    .flatMap(({ triggers, what, to }) =>
      triggers.flatMap((trigger) => {
        const next = calls.filter((call) => call.what === 'go' && call.triggers.includes(trigger) && call.to > to);
        const until = Math.min(monotonic(), ...next.map(({ from }) => from));
        const from = what === 'pause' ? to : to + BEGINS_WITHIN;
        const begun = starts.get(trigger)?.filter(({ mono }) => mono > from && mono < until) ?? [];
        return begun.map(
          (start) => `${describeStart(start)}, ${Math.round(start.mono - to)} ms after its ${what} was answered`,
        );
      }),
    );
}

function overlapping(facts: Facts): readonly string[] {
  const exclusive = facts.starts.filter(({ job }) => isExclusive(job));
  return [...grouped(exclusive, ({ job }) => job).values()].flatMap((runs) =>
    runs.flatMap((start, index) => {
      const last = runs[index - 1];
      return last !== undefined && endOf(facts, last) > start.mono
        ? [`${describeStart(last)} and ${describeStart(start)}`]
        : [];
    }),
  );
}

/** Fire times of the final period that differ from the last definition. */
function notAsDefined(
  { ordinary }: Facts,
  name: string,
  { kind, every, start }: Definition,
  { from, to }: Seen['calm'],
): readonly string[] {
  const origin = kind === 'cron' ? 0 : start;
  const due = new Set<number>();
  for (let time = origin + Math.ceil((from - origin) / every) * every; time < to; time += every) due.add(time);
  const fired = new Set(
    ordinary.filter(({ trigger, time }) => trigger === name && time >= from && time < to).map(({ time }) => time),
  );
  const missing = [...due].filter((time) => !fired.has(time));
  const surplus = [...fired].filter((time) => !due.has(time));
  return missing.length + surplus.length === 0
    ? []
    : [`${name} (${kind}, every ${every} ms): ${missing.length} missing, ${surplus.length} not due`];
}

export const CHURN_SCENARIOS: readonly OwnScenario[] = [
  { name: 'churn', about: 'four clients change the schedule', play: (options) => play(options, 'none') },
  { name: 'churn-kill', about: 'four clients change the schedule; kill -9', play: (options) => play(options, 'kill') },
  {
    name: 'churn-commits',
    about: 'four clients change the schedule, and their commits are lost',
    stores: ['server'],
    play: (options) => play(options, 'commits'),
  },
];

import type { Run } from '../../src';
import { until } from '../support/until';
import type { Fleet, Launched, Line } from './fleet';

/** A deployment: three nodes are replaced in turn while jobs run. */
export interface Deploy {
  /** Duration of each job, in milliseconds. */
  readonly duration: number;
  /** Deadline of each shutdown, in milliseconds. */
  readonly deadline: number;
  readonly rounds: number;
}

interface Kind {
  readonly name: string;
  readonly when: object;
  readonly data?: object;
  /** Attempts of each occurrence. */
  readonly attempts: number;
  /** True if an aborted run is not repeated. */
  readonly isPlain?: true;
}

const RETRY = { max: 3, delay: 100 } as const;

/** Kinds of jobs that are stored for each round, a third of them before the first node stops. */
const KINDS: readonly Kind[] = [
  { name: 'recovers', when: { requestsRecovery: true }, attempts: 1 },
  { name: 'retries', when: { retry: RETRY }, attempts: 1 },
  { name: 'saves', when: { requestsRecovery: true }, data: { saves: true }, attempts: 1 },
  { name: 'fails once', when: { retry: RETRY }, data: { failing: 1 }, attempts: 2 },
  { name: 'ignores its signal', when: { requestsRecovery: true }, data: { stubborn: true }, attempts: 1 },
  { name: 'plain', when: {}, attempts: 1, isPlain: true },
];
const OF_EACH = 4;

/** Counts of all occurrences and their outcomes. */
export interface DeployCounts {
  readonly occurrences: number;
  readonly begins: number;
  readonly succeeded: number;
  readonly handedOver: number;
  readonly failedByThemselves: number;
  readonly deadLetters: number;
  /** Runs that count as lost with their node: none, because each node stops in order. */
  readonly lost: number;
}

/** Plays the rounds, and checks them. Throws if an occurrence has not ended exactly once, or an attempt was used up. */
export async function playDeploy(fleet: Fleet, { duration, deadline, rounds }: Deploy): Promise<DeployCounts> {
  let nodes = await Promise.all(['a 0', 'b 0', 'c 0'].map((name) => fleet.launch(name, { deadline })));
  for (let round = 1; round <= rounds; round++) {
    const busy = await store(fleet, round, { duration, spread: duration / 2 });
    const order = [...nodes].sort((a, b) => Number(b.name === busy) - Number(a.name === busy));
    nodes = await replaceEach(fleet, order, round, deadline);
    await allEnded(fleet, round * KINDS.length * OF_EACH, duration);
  }
  await Promise.all(nodes.map((node) => fleet.end(node, 'SIGTERM')));
  return judge(fleet, rounds * KINDS.length * OF_EACH);
}

/** Stores one-offs that begin one after the other. Resolves with the node of the first run that another node may repeat, when it begins. */
async function store(fleet: Fleet, round: number, { duration, spread }: { duration: number; spread: number }) {
  const scheduler = await fleet.scheduler();
  const now = Date.now();
  for (let index = 0; index < OF_EACH; index++) {
    const at = new Date(now + (index * spread) / OF_EACH);
    const each = KINDS.map(({ name, when, data }) =>
      scheduler.schedule(`${name} ${round} ${index}`, {
        ...{ job: 'work', at, registeredLater: true },
        ...when,
        data: { duration, ...data },
      }),
    );
    await Promise.all(each);
  }
  const isRepeated = ({ line, job }: Line) =>
    line === 'begin' && job.endsWith(` ${round} 0`) && !job.startsWith('plain');
  const first = await until(
    () => fleet.lines().find(isRepeated),
    (line) => line !== undefined,
  );
  return first?.node;
}

/** Stops each node with SIGTERM, and replaces it with a new process. */
async function replaceEach(fleet: Fleet, nodes: readonly Launched[], round: number, deadline: number) {
  const replaced: Launched[] = [];
  for (const node of nodes) {
    await fleet.end(node, 'SIGTERM');
    replaced.push(await fleet.launch(`${node.name.slice(0, 1)} ${round}`, { deadline }));
  }
  return replaced;
}

const isFinal = ({ outcome, isDeadLetter }: Run) => outcome === 'succeeded' || isDeadLetter;

async function allEnded(fleet: Fleet, occurrences: number, duration: number): Promise<void> {
  const ended = async () => (await fleet.runs()).filter(isFinal).length;
  const end = Date.now() + 5 * duration + 20_000;
  while ((await ended()) < occurrences) {
    if (Date.now() > end) throw new Error(`${await ended()} of ${occurrences} occurrences have ended.`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function judge(fleet: Fleet, occurrences: number): Promise<DeployCounts> {
  const [lines, runs] = [fleet.lines(), await fleet.runs()];
  const begins = lines.filter(({ line }) => line === 'begin');
  const wrong = lines.filter(({ line }) => line === 'error' || line === 'crash').map(({ error }) => `${error}`);
  const recorded = new Map(runs.map((run) => [run.runId, run]));
  for (const { runId, job } of begins) if (!recorded.has(runId)) wrong.push(`${job}: run ${runId} has no record`);
  for (const { runId } of runs) {
    if (begins.filter((each) => each.runId === runId).length !== 1) wrong.push(`run ${runId} did not begin once`);
  }
  const jobs = new Map(begins.map(({ job }) => [job, runs.filter((run) => run.jobKey.name === job)]));
  for (const [job, own] of jobs) wrong.push(...problemsOf(job, own, lines, fleet));
  if (jobs.size !== occurrences) wrong.push(`${jobs.size} of ${occurrences} occurrences have begun`);
  const count = (outcome: string) => runs.filter((run) => run.outcome === outcome).length;
  const counts = {
    ...{ occurrences, begins: begins.length, succeeded: count('succeeded'), handedOver: count('handedOver') },
    ...{ failedByThemselves: count('failed'), deadLetters: runs.filter(({ isDeadLetter }) => isDeadLetter).length },
    lost: count('lost'),
  };
  const ends = counts.succeeded + counts.deadLetters + counts.failedByThemselves;
  if (counts.begins !== ends + counts.handedOver) wrong.push(`begins differ from ends + hand-overs`);
  if (wrong.length > 0) throw new Error(`${JSON.stringify(counts)}\n${wrong.slice(0, 20).join('\n')}`);
  return counts;
}

/** Problems of an occurrence: it must end once, keep its attempts, run one run at a time, and resume from its last checkpoint. */
function problemsOf(job: string, runs: readonly Run[], lines: readonly Line[], fleet: Fleet): readonly string[] {
  const kind = KINDS.find(({ name }) => job.startsWith(`${name} `)) as Kind;
  const wrong: string[] = [];
  const finals = runs.filter(isFinal);
  if (finals.length !== 1) wrong.push(`${finals.length} ends`);
  if (kind.isPlain === undefined && finals.some(({ isDeadLetter }) => isDeadLetter)) wrong.push('a dead letter');
  if (kind.isPlain && runs.length !== 1) wrong.push(`${runs.length} runs of a plain one-off`);
  if (finals.some(({ attempt, isDeadLetter }) => !isDeadLetter && attempt !== kind.attempts))
    wrong.push('an attempt was used up');
  if (new Set(runs.map(({ occurrenceId }) => occurrenceId)).size !== 1) wrong.push('several occurrences');
  const own = lines.filter((line) => line.job === job);
  for (const { runId, at, resumeFrom } of own.filter(({ line }) => line === 'begin')) {
    const before = own.filter((each) => each.at <= at && each.runId !== runId);
    const running = before.filter(({ line, ...each }) => line === 'begin' && endOf(each, own, fleet) > at);
    if (running.length > 0) wrong.push(`${runId} began while ${running[0]?.runId} was running`);
    const saved = Math.max(0, ...before.filter(({ line }) => line === 'saved').map(({ step }) => step));
    if ((resumeFrom ?? 0) < saved) wrong.push(`resumed from ${resumeFrom} after ${saved} was saved`);
  }
  return wrong.map(
    (each) => `${job}: ${each}: ${JSON.stringify(runs.map(({ outcome, attempt }) => [outcome, attempt]))}`,
  );
}

/** End time of a run's function, or of its process, which writes a last line before it ends. */
function endOf({ runId, node }: Pick<Line, 'runId' | 'node'>, own: readonly Line[], fleet: Fleet): number {
  return own.find((each) => each.line === 'end' && each.runId === runId)?.at ?? fleet.goneAt(node);
}

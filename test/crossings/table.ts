import { type Crossing, type Crossings, FIELDS, type Field, type Rule, SEPARATE } from './fields';

/*
 * What happens where two fields meet. Each pair has been decided: nothing special (`separate`), `defined`, with the tests that show it, or
 * `refused` when it is built. The guide "How policies combine" is made from it.
 */

/** An area is a file of test/conformance/areas; `unit/…` a file of test/unit. */
function defined(text: string, ...proofs: readonly string[]): Rule {
  return { kind: 'defined', text, proofs };
}

function refused(text: string, ...proofs: readonly string[]): Rule {
  return { kind: 'refused', text, proofs };
}

function separate<Name extends Field>(...names: readonly Name[]): { readonly [Each in Name]: typeof SEPARATE } {
  return Object.fromEntries(names.map((name) => [name, SEPARATE])) as { readonly [Each in Name]: typeof SEPARATE };
}

const TURN =
  'Each run needs its own turn. Turns are assigned in the order of due times. A retry, recovery or backfill keeps its kind while it waits.';
const MEETS = 'The new run waits for the executing run, and is never skipped.';

export const CROSSINGS: Crossings = {
  retry: {},
  history: {
    retry: defined(
      'A run that uses up its retries is recorded as a dead letter, even if `history` is `none`.',
      'unit/engine/retries: keeps what used up its retries as a dead letter, whatever the history',
    ),
  },
  startWithin: {
    retry: defined('A retry is never late.', 'crossings: startWithin: a $kind is never late'),
    history: defined(
      'A run that is too late is recorded as `skipped`, unless `history` is `none`.',
      'unit/engine/start-within: is not run for what comes later, which is told and recorded',
    ),
  },
  mustSucceedWithin: {
    retry: defined(
      'A successful retry counts as a success of its trigger.',
      'expectations: are met by a retry, which is of the trigger that it retries',
    ),
    ...separate('history', 'startWithin'),
  },
  concurrency: {
    retry: defined(
      'A retry waits for the limit like a first run. It does not count before it starts.',
      'crossings: $what: a $kind waits for the run that it meets, and is not refused',
    ),
    startWithin: defined(
      'The time that a run waits for the limit counts. If the run would start too late, it is skipped.',
      'crossings: startWithin and concurrency: what has waited too long for a place is skipped',
    ),
    ...separate('history', 'mustSucceedWithin'),
  },
  rate: {
    retry: defined(
      TURN,
      'rates: counts a retry, which stays one when it is put off',
      'crossings: rate: a $kind takes a turn, and stays what it is',
    ),
    startWithin: defined(
      'If the turn would be later than `startWithin` allows, the firing is skipped immediately.',
      'rates: is not run at all where its turn is later than %s allows, and leaves the turn to others',
    ),
    concurrency: defined(
      'Concurrency is checked first. A firing without a turn does not count for the limit. At its turn, concurrency is checked again. If the limit is reached, the firing waits without losing its turn.',
      'rates: takes no room of another limit before its turn, and lets go on what waits for that',
    ),
    ...separate('history', 'mustSucceedWithin'),
  },
  timeout: {
    retry: defined(
      'Each attempt has the full time limit. A `deadline` is shared: no retry is planned that would start after it.',
      'unit/engine/time-limit: begins anew with each attempt',
      'unit/engine/time-limit: leaves retries what is left of it, and is the end of them',
    ),
    rate: defined(
      'If the turn would be after the `deadline`, the firing ends as `timedOut` immediately.',
      'rates: is not run at all where its turn is later than %s allows, and leaves the turn to others',
    ),
    ...separate('history', 'startWithin', 'mustSucceedWithin', 'concurrency'),
  },
  catchUp: {
    history: defined(
      'A missed time that a catch-up run covers is not recorded as `misfired`.',
      'runs: are not recorded for times that are made up for',
    ),
    startWithin: defined(
      '`startWithin` does not apply to catch-up runs.',
      'misfire: leaves what is caught up to catchUp',
    ),
    rate: defined(TURN, 'crossings: rate: a $kind takes a turn, and stays what it is'),
    concurrency: defined(
      'A catch-up run waits for the limit like any other.',
      'crossings: $what: a $kind waits for the run that it meets, and is not refused',
    ),
    timeout: defined(
      'The `deadline` counts from the time at which the run is due.',
      'crossings: timeout: the deadline of a $kind counts from $from',
    ),
    ...separate('retry', 'mustSucceedWithin'),
  },
  spread: {
    retry: defined(
      'Each part is retried separately, as the same part. The occurrence ends with the last attempt.',
      'shards: are tried again one by one, as the same part; the occurrence waits for the last attempt',
    ),
    startWithin: defined(
      '`startWithin` applies to the occurrence, not to its parts.',
      'crossings: spread: a part is never late, and has the deadline of its occurrence',
    ),
    mustSucceedWithin: defined(
      'The occurrence succeeds with its last part, if none has failed.',
      'crossings: spread: an occurrence is a success for mustSucceedWithin when all its parts are: the last %s',
    ),
    concurrency: defined(
      'Each part counts for the limit.',
      'crossings: spread: each part takes a place of its own under a limit',
    ),
    rate: defined(
      'Each part takes a turn; the firing that stores the parts takes none.',
      'rates: counts each part of an occurrence, and not the firing that is taken apart',
    ),
    timeout: defined(
      'Each part has the full time limit; a `deadline` applies to the occurrence.',
      'crossings: spread: a part is never late, and has the deadline of its occurrence',
    ),
    ...separate('history', 'catchUp'),
  },
  runsOn: {
    retry: defined(
      'A retry needs the same labels as the first run.',
      'placement: places a retry as the run that it repeats',
    ),
    spread: defined(
      'A part may run on any node with the labels. A broadcast has one part for each of these nodes.',
      'unit/domain/shards: have all the labels that it runs on',
    ),
    ...separate(
      ...(['history', 'startWithin', 'mustSucceedWithin', 'concurrency', 'rate', 'timeout', 'catchUp'] as const),
    ),
  },
  prefers: {
    retry: defined(
      'A retry has the same preferred labels as the first run.',
      'placement: places a retry as the run that it repeats',
    ),
    spread: defined(
      'A part of a broadcast runs only on its node, so preferences do not apply.',
      'crossings: spread: a part of a broadcast runs on its node, whatever other nodes are preferred',
    ),
    ...separate(
      ...(['history', 'startWithin', 'mustSucceedWithin', 'concurrency', 'rate', 'timeout', 'catchUp'] as const),
      'runsOn',
    ),
  },
  overlap: {
    retry: defined(
      'A retry counts as a run. It waits for the executing run, and is never skipped.',
      'overlap: counts retries, and lets them wait and not be refused',
      'crossings: $what: a $kind waits for the run that it meets, and is not refused',
    ),
    history: defined(
      'A skipped firing is recorded as `skipped`.',
      'unit/engine/overlap: is skipped, told of and recorded',
    ),
    startWithin: defined(
      '`startWithin` counts from the scheduled time. A firing that has waited longer for an earlier run is skipped.',
      'unit/engine/overlap: is skipped when it has waited longer than it may begin late',
    ),
    concurrency: defined(
      'A firing starts only if both allow it. Otherwise it waits.',
      'overlap: stands beside a limit: a firing takes both, or waits',
    ),
    rate: defined(
      'Overlap is checked first. A firing that `queueOne` or `queueAll` defers gets its turn when the earlier run has ended, and keeps its place in the queue.',
      'rates: keeps its place among those that wait for an earlier run of their job',
    ),
    catchUp: defined(MEETS, 'crossings: $what: a $kind waits for the run that it meets, and is not refused'),
    spread: defined(
      'Parts of one occurrence run concurrently. The occurrence counts as running until its last part has ended, retries included.',
      'shards-and-rules: run beside each other under %p, which is asked by what fires while one of them runs',
      'shards-and-rules: let what waits under %p go on only when the retries of parts have ended too',
    ),
    ...separate('mustSucceedWithin', 'timeout', 'runsOn', 'prefers'),
  },
  jitter: {
    retry: defined('A retry is not delayed.', 'crossings: jitter: a $kind is not put off'),
    startWithin: defined(
      '`startWithin` counts from the delayed time.',
      'crossings: jitter: at its moment a run is in time for startWithin, and is taken apart; its deadline counts from the scheduled time',
    ),
    concurrency: defined(
      'A firing does not count for the limit before its delayed time.',
      'jitter: takes no room before its moment, and asks the rules then',
    ),
    rate: defined(
      'The firing is first delayed by the jitter, and then gets its turn.',
      'jitter: takes no room before its moment, and asks the rules then',
    ),
    timeout: defined(
      'A `deadline` counts from the scheduled time.',
      'crossings: jitter: at its moment a run is in time for startWithin, and is taken apart; its deadline counts from the scheduled time',
    ),
    catchUp: defined('A catch-up run is not delayed.', 'crossings: jitter: a $kind is not put off'),
    spread: defined(
      'The parts are stored at the delayed time, so they start together.',
      'crossings: jitter: at its moment a run is in time for startWithin, and is taken apart; its deadline counts from the scheduled time',
    ),
    overlap: defined(
      'The rule is checked at the delayed time, not at the scheduled time.',
      'jitter: takes no room before its moment, and asks the rules then',
    ),
    ...separate('history', 'mustSucceedWithin', 'runsOn', 'prefers'),
  },
  durable: {
    retry: defined(
      'A non-durable job stays stored until the retries of its last trigger have ended.',
      'retries: keep a job that is not durable until they have ended, non-concurrent: %s',
    ),
    spread: defined(
      'A non-durable job stays stored until its last part has ended.',
      'shards: are a thousand at most, and keep a job that goes with its last trigger',
    ),
    ...separate(
      ...(['history', 'startWithin', 'mustSucceedWithin', 'concurrency', 'rate', 'timeout', 'catchUp'] as const),
      ...(['runsOn', 'prefers', 'overlap', 'jitter'] as const),
    ),
  },
  disallowConcurrentExecution: {
    retry: defined(
      'A retry waits until the job is free. The triggers of the job wait while the retry runs.',
      'retries: of a job that must not run twice wait until it has ended, and it for them',
    ),
    concurrency: defined(
      'A trigger waits until its job is free and the limit allows it.',
      'limits: waits for the job too, where that must not run twice',
    ),
    catchUp: defined(
      'Catch-up runs wait for each other.',
      'catch-up: waits where its group is paused, and where a job runs that must not run twice',
    ),
    spread: defined(
      'The parts run one after the other.',
      'shards: run one after the other where their job disallows concurrent execution',
    ),
    overlap: defined(
      'The rule has no effect: triggers of the job do not fire while it executes.',
      'crossings: overlap and disallowConcurrentExecution: nothing is left for the rule to decide, the trigger waits',
    ),
    ...separate(
      'history',
      'startWithin',
      'mustSucceedWithin',
      'rate',
      'timeout',
      'runsOn',
      'prefers',
      'jitter',
      'durable',
    ),
  },
  persistJobDataAfterExecution: {
    retry: defined(
      'A retry receives the data of the last successful run; the failed run stores none.',
      "unit/engine/retries: gives the retry of a job that persists its data what the last success left, and nothing of the failed run's",
    ),
    spread: defined(
      'Each part stores the data. With `disallowConcurrentExecution`, each part receives the data that the previous part stored. Without it, the part that ends last determines the data.',
      'crossings: spread: parts that run one after the other find the data that the part before them has stored',
    ),
    ...separate(
      ...(['history', 'startWithin', 'mustSucceedWithin', 'concurrency', 'rate', 'timeout', 'catchUp'] as const),
      ...(['runsOn', 'prefers', 'overlap', 'jitter', 'durable', 'disallowConcurrentExecution'] as const),
    ),
  },
  requestsRecovery: {
    retry: defined(
      'A run that died with its node is recovered as the same attempt, even if its `maxAge` has passed. `maxAge` applies to its later retries.',
      'cluster: run again that attempt, as often as it dies, and go on with the next one',
    ),
    history: defined(
      'The run that died is recorded as `lost`.',
      'cluster: record as lost what it ran, where that is wanted, once',
    ),
    startWithin: defined('A recovery is never late.', 'crossings: startWithin: a $kind is never late'),
    concurrency: defined(
      'A recovery waits for the limit like a first run.',
      'crossings: $what: a $kind waits for the run that it meets, and is not refused',
    ),
    rate: defined(TURN, 'crossings: rate: a $kind takes a turn, and stays what it is'),
    timeout: defined(
      'The `deadline` counts from the scheduled time.',
      'crossings: timeout: the deadline of a $kind counts from $from',
    ),
    spread: defined(
      'Parts are always recovered, except parts of a broadcast, which run only on their node.',
      'cluster: lose neither an occurrence that is to be run in parts nor a part, whatever its job asks for',
      'cluster: run the parts of a broadcast on their nodes alone, and lose that of a node that died, whatever its job asks for',
    ),
    runsOn: defined(
      'A recovery needs the same labels as the first run.',
      'cluster: keep the policy of what they run again',
    ),
    prefers: defined(
      'A recovery has the same preferred labels as the first run.',
      'cluster: keep the policy of what they run again',
    ),
    overlap: defined(MEETS, 'crossings: $what: a $kind waits for the run that it meets, and is not refused'),
    jitter: defined('A recovery is not delayed.', 'crossings: jitter: a $kind is not put off'),
    disallowConcurrentExecution: defined(
      'A recovery waits until the job is free.',
      'crossings: $what: a $kind waits for the run that it meets, and is not refused',
    ),
    ...separate('mustSucceedWithin', 'catchUp', 'durable', 'persistJobDataAfterExecution'),
  },
  priority: {
    retry: defined(
      'A retry has the priority of its trigger.',
      'retries: fire when they are due, as the next attempt of the same occurrence, with what their trigger had',
    ),
    concurrency: defined(
      'With `jobStore.acquireOrder: priority`, the trigger with the highest priority continues first.',
      'priority-order: gives the room under a limit to the most urgent',
    ),
    spread: defined(
      'Each part has the priority of the trigger.',
      'shards: cover each number exactly once, each with its value, and the data and priority of their trigger',
    ),
    overlap: defined(
      'Waiting firings keep their priority, but continue in the order of their scheduled times.',
      'overlap: keeps the occurrence, the data and the priority, and waits as BLOCKED',
      'overlap: lets what was put off go on one after the other, in the order of its scheduled times',
    ),
    disallowConcurrentExecution: defined(
      'With `jobStore.acquireOrder: priority`, the trigger of the job with the highest priority fires as soon as it is due.',
      'priority-order: fires of a job that must not run twice the most urgent trigger, as soon as that is due',
    ),
    ...separate(
      ...(['history', 'startWithin', 'mustSucceedWithin', 'rate', 'timeout', 'catchUp', 'runsOn', 'prefers'] as const),
      ...(['jitter', 'durable', 'persistJobDataAfterExecution', 'requestsRecovery'] as const),
    ),
  },
  calendarName: {
    retry: defined(
      "A retry that would start at an excluded time waits for the next included time, unless its policy has `calendar: 'ignore'`.",
      'crossings: calendar and endAt: a retry waits for an included day, and begins after the end of its trigger',
    ),
    ...separate(
      ...(['history', 'startWithin', 'mustSucceedWithin', 'concurrency', 'rate', 'timeout', 'catchUp'] as const),
      ...(['spread', 'runsOn', 'prefers', 'overlap', 'jitter', 'durable', 'disallowConcurrentExecution'] as const),
      ...(['persistJobDataAfterExecution', 'requestsRecovery', 'priority'] as const),
    ),
  },
  misfireInstruction: {
    retry: defined('A retry never misfires, even if it is late.', 'retries: never misfire, however late'),
    history: defined(
      'A time that the instruction skips is recorded as `misfired`.',
      'runs: are recorded for times that are passed over, where that is wanted',
    ),
    startWithin: defined(
      'With every instruction, a misfired firing is skipped if it would start later than `startWithin` allows. `triggerMisfired` reports the firing, and the history records it as `misfired`.',
      'misfire: skips and records what comes later than startWithin of its %s allows, whatever the instruction',
    ),
    timeout: defined(
      'The `deadline` of a misfired trigger that fires now counts from now.',
      'crossings: timeout and misfire: the deadline of a misfired trigger that fires now counts from now',
    ),
    catchUp: defined(
      'The missed times run separately, and the trigger continues with its next time.',
      'catch-up: runs the newest of what was missed, apart, and the trigger goes on with its next time',
    ),
    runsOn: defined(
      'Any node may apply the instruction, even if it lacks the labels.',
      'placement: applies misfire instructions wherever the trigger is placed',
    ),
    prefers: defined(
      'Nodes without the preferred labels wait for at most half of the misfire threshold.',
      'placement: waits no longer than half the misfire threshold',
    ),
    disallowConcurrentExecution: defined(
      'A trigger that waits for its job does not misfire. When the job is free, the instruction decides about missed times.',
      'misfire: waits until the job has ended: a blocked trigger is not misfired',
    ),
    calendarName: defined(
      'After a misfire, the next fire time is a time that the calendar includes.',
      'misfire: goes on by the calendar of the trigger',
    ),
    ...separate(
      ...(['mustSucceedWithin', 'concurrency', 'rate', 'spread', 'overlap', 'jitter', 'durable'] as const),
      ...(['persistJobDataAfterExecution', 'requestsRecovery', 'priority'] as const),
    ),
  },
  endTime: {
    retry: defined(
      'A retry starts at its time, even after the end time of its trigger.',
      'crossings: calendar and endAt: a retry waits for an included day, and begins after the end of its trigger',
    ),
    misfireInstruction: defined(
      'A repeat count that restarts after a misfire stops at the end time.',
      'misfire: counts afresh what it starts again, also past the end',
    ),
    ...separate(
      ...(['history', 'startWithin', 'mustSucceedWithin', 'concurrency', 'rate', 'timeout', 'catchUp'] as const),
      ...(['spread', 'runsOn', 'prefers', 'overlap', 'jitter', 'durable', 'disallowConcurrentExecution'] as const),
      ...(['persistJobDataAfterExecution', 'requestsRecovery', 'priority', 'calendarName'] as const),
    ),
  },
  after: {
    retry: defined('A chained job starts after the last attempt.', 'chains: wait for the last attempt'),
    catchUp: refused(
      'A chain has no fire times, so there is nothing to catch up.',
      'unit/scheduler/chains: is not built with %s',
    ),
    spread: defined(
      'A chained job starts after the last part. The occurrence has failed if one part has failed.',
      'shards-and-rules: start what waits for their job once, with the last of them: one %s, on %s',
    ),
    overlap: defined(
      'The rule applies to a chained run as to a first run, so a chained run may be skipped.',
      'crossings: overlap and after: a chained run asks the rule as a first run does',
    ),
    jitter: refused(
      'A chain has no fire times, so there is nothing to delay.',
      'unit/scheduler/chains: is not built with %s',
    ),
    durable: defined(
      'A non-durable job stays stored as long as it has a chain.',
      'chains: keep a job that is not durable, and go with it',
    ),
    disallowConcurrentExecution: defined(
      'A chained run waits until its job is free.',
      'chains: let what follows wait while its job executes and must not execute twice',
    ),
    priority: defined(
      'A chained run has the priority of its trigger.',
      'chains: give the job the data, priority and policy of their trigger, and say what it follows',
    ),
    calendarName: refused('A chain has no fire times.', 'unit/scheduler/chains: is not built with %s'),
    misfireInstruction: defined('A chain never misfires.', 'chains: are never due, and do not misfire'),
    endTime: refused('A chain has no fire times.', 'unit/scheduler/chains: is not built with %s'),
    ...separate(
      ...(['history', 'startWithin', 'mustSucceedWithin', 'concurrency', 'rate', 'timeout', 'runsOn'] as const),
      ...(['prefers', 'persistJobDataAfterExecution', 'requestsRecovery'] as const),
    ),
  },
  pause: {
    retry: defined(
      'A pause holds waiting retries, unless it has `holdRetries: false`. A retry that was held beyond its `maxAge` becomes a dead letter.',
      'held-runs: is held by a pause of $what, and let go with it',
      'unit/engine/retry-max-age: holds for what was paused: a retry that begins later is not run, and its occurrence is a dead letter that says so',
    ),
    history: defined(
      'Times that are skipped when the trigger is resumed are recorded as `misfired`.',
      'runs: are recorded for times that were passed over while a trigger was paused, however it is resumed',
    ),
    startWithin: defined(
      'Times that became too late during the pause are skipped when the trigger is resumed.',
      'misfire: skips what became too late while its trigger was paused',
    ),
    mustSucceedWithin: defined(
      'The time continues during a pause, so a paused job becomes overdue.',
      'expectations: are told of what is paused, too',
    ),
    concurrency: defined(
      'A trigger that waits for the limit can be paused.',
      'limits: is paused and resumed as what is blocked',
    ),
    rate: defined(
      'A pause holds firings that wait for their turn.',
      'crossings: pause: what %s has put off is held by a pause of its trigger',
    ),
    catchUp: defined(
      'Fire times that passed during the pause run after the pause.',
      'catch-up: makes up for what passed while the %s was paused',
    ),
    spread: defined(
      'A pause holds waiting parts. The occurrence does not end during the pause.',
      'shards: are paused with their trigger, their job or their group, and do not end their occurrence so',
    ),
    overlap: defined(
      'A pause holds firings that wait for an earlier run.',
      'crossings: pause: what %s has put off is held by a pause of its trigger',
    ),
    jitter: defined(
      'A pause holds firings that wait for their delayed time.',
      'crossings: pause: what %s has put off is held by a pause of its trigger',
    ),
    disallowConcurrentExecution: defined(
      'A trigger can be paused while its job runs. It continues when both the pause and the run have ended.',
      'pause: starts a trigger paused and blocked whose group is paused while its job executes',
    ),
    requestsRecovery: defined(
      'A pause holds recoveries, unless it has `holdRetries: false`.',
      'cluster: hold a recovery while $what is paused',
    ),
    misfireInstruction: defined(
      'When the trigger is resumed, the instruction decides about missed times.',
      'pause: lets $misfireInstruction decide about what was missed',
    ),
    after: defined(
      'While a chain is paused, ends of other jobs are not counted.',
      'chains: start nothing while they are paused, and go on where they were resumed',
    ),
    ...separate('timeout', 'runsOn', 'prefers', 'durable', 'persistJobDataAfterExecution', 'priority'),
    ...separate('calendarName', 'endTime'),
  },
  backfill: {
    startWithin: defined('A backfill is never late.', 'crossings: startWithin: a $kind is never late'),
    concurrency: defined(
      'A backfill waits for the limit like a first run.',
      'crossings: $what: a $kind waits for the run that it meets, and is not refused',
    ),
    rate: defined(TURN, 'crossings: rate: a $kind takes a turn, and stays what it is'),
    timeout: defined(
      'The `deadline` counts from the time at which the run is due.',
      'crossings: timeout: the deadline of a $kind counts from $from',
    ),
    overlap: defined(MEETS, 'crossings: $what: a $kind waits for the run that it meets, and is not refused'),
    jitter: defined('A backfill is not delayed.', 'crossings: jitter: a $kind is not put off'),
    disallowConcurrentExecution: defined(
      'A backfill waits until the job is free.',
      'crossings: $what: a $kind waits for the run that it meets, and is not refused',
    ),
    calendarName: defined(
      'Only times that the calendar includes run.',
      'unit/scheduler/backfill: includes its first time and not its last, and what the calendar leaves',
    ),
    pause: defined(
      'A new backfill starts although its trigger is paused. A later pause holds its remaining runs.',
      'crossings: pause: while its trigger is paused, a %s that is stored is %s',
    ),
    ...separate('retry', 'history', 'mustSucceedWithin', 'catchUp', 'spread', 'runsOn', 'prefers', 'durable'),
    ...separate(
      'persistJobDataAfterExecution',
      'requestsRecovery',
      'priority',
      'misfireInstruction',
      'endTime',
      'after',
    ),
  },
  rerun: {
    retry: defined(
      'A rerun is the next attempt, with the full retries of the policy. `maxAge` does not apply to the rerun. For its retries, `maxAge` counts from the rerun.',
      'unit/engine/retry-max-age: begins anew with a rerun, which has no age itself',
    ),
    startWithin: defined('A rerun is never late.', 'crossings: startWithin: a $kind is never late'),
    concurrency: defined(
      'A rerun waits for the limit like a first run.',
      'crossings: $what: a $kind waits for the run that it meets, and is not refused',
    ),
    rate: defined(TURN, 'crossings: rate: a $kind takes a turn, and stays what it is'),
    timeout: defined(
      'The `deadline` counts from the rerun.',
      'crossings: timeout: the deadline of a $kind counts from $from',
      'unit/engine/time-limit: begins anew for what is run again by hand',
    ),
    spread: defined(
      'If other parts are still running, the occurrence waits for the rerun of a part. After the occurrence has ended, a rerun does not affect it.',
      'shards-and-rules: are waited for again when a dead one is rerun while others go on, and their occurrence fails no more by it',
      'shards-and-rules: run alone when a dead one is rerun after their occurrence has ended, and end nothing',
    ),
    overlap: defined(MEETS, 'crossings: $what: a $kind waits for the run that it meets, and is not refused'),
    jitter: defined('A rerun is not delayed.', 'crossings: jitter: a $kind is not put off'),
    durable: defined(
      'A dead letter contains a copy of a non-durable job. A rerun stores the job again.',
      'deleted-runs: keeps the job that went with %s, for its reruns alone',
    ),
    disallowConcurrentExecution: defined(
      'A rerun waits until the job is free.',
      'runs: wait where their group is paused, and while a job runs that must not run twice',
    ),
    pause: defined(
      'A rerun starts although its trigger is paused.',
      'crossings: pause: while its trigger is paused, a %s that is stored is %s',
    ),
    ...separate('history', 'mustSucceedWithin', 'catchUp', 'runsOn', 'prefers', 'persistJobDataAfterExecution'),
    ...separate('requestsRecovery', 'priority', 'calendarName', 'misfireInstruction', 'endTime', 'after', 'backfill'),
  },
  delete: {
    retry: defined(
      'A waiting retry becomes a dead letter.',
      'deleted-runs: with %s is a dead letter of its occurrence, and runs no more',
    ),
    history: defined(
      'The dead letter of a waiting retry is recorded even if `history` is `none`.',
      'deleted-runs: with %s is a dead letter of its occurrence, and runs no more',
    ),
    mustSucceedWithin: defined(
      'A deleted job or trigger is never overdue.',
      'expectations: go with what is deleted, and begin anew when it is stored again',
    ),
    concurrency: defined(
      'Deleting a waiting trigger removes it from the queue. Other triggers move up.',
      'limits: does not keep others waiting once it is deleted',
    ),
    spread: defined(
      'Waiting parts count as failed. The occurrence ends when all other parts have ended.',
      'shards: that are deleted have failed, and end their occurrence as they go or with the last of the others',
      'deleted-runs: fails the part that it was of, and its occurrence with it, once',
    ),
    overlap: defined(
      'Firings that wait for an earlier run are deleted, which frees their places in the queue.',
      'overlap: forgets what is deleted while it waits',
    ),
    jitter: defined(
      'Firings that wait for their delayed time are deleted with their trigger, and nothing is recorded.',
      'deleted-runs: is no first run: one that %s has put off goes with its trigger, and nothing is recorded of it',
    ),
    rate: defined(
      'Firings that wait for their turn are deleted with their trigger, and nothing is recorded.',
      'deleted-runs: is no first run: one that %s has put off goes with its trigger, and nothing is recorded of it',
    ),
    durable: defined(
      'A non-durable job is deleted with its last trigger and the waiting retries of that trigger.',
      'deleted-runs: takes a job with it that is not durable',
    ),
    requestsRecovery: defined('A waiting recovery becomes a dead letter.', 'deleted-runs: is one of a recovery, too'),
    after: defined(
      'Deleting a retry ends its occurrence as failed, so jobs that are chained to the failure start.',
      'deleted-runs: ends its occurrence as failed for what waits for its job, on %s',
    ),
    pause: defined(
      'The reason of a pause is deleted with its trigger or job.',
      'pauses: goes with what it is of, and does not speak of what is stored there later',
    ),
    backfill: defined(
      'A backfill continues without its trigger. It is deleted with its job.',
      'deleted-runs: is no backfill: that was requested by itself, and goes on',
    ),
    rerun: defined(
      'A waiting rerun becomes a dead letter again.',
      'deleted-runs: is a dead letter again when its rerun is deleted',
    ),
    ...separate('startWithin', 'timeout', 'catchUp', 'runsOn', 'prefers', 'disallowConcurrentExecution'),
    ...separate('persistJobDataAfterExecution', 'priority', 'calendarName', 'misfireInstruction', 'endTime'),
  },
  clockChanges: {
    after: refused(
      'A chain has no fire times, so clock changes have no effect on it.',
      'unit/scheduler/chains: is not built with %s',
    ),
    ...separate('retry', 'history', 'startWithin', 'mustSucceedWithin', 'concurrency', 'rate', 'timeout', 'catchUp'),
    ...separate('spread', 'runsOn', 'prefers', 'overlap', 'jitter', 'durable', 'disallowConcurrentExecution'),
    ...separate('persistJobDataAfterExecution', 'requestsRecovery', 'priority', 'calendarName', 'misfireInstruction'),
    ...separate('endTime', 'pause', 'backfill', 'rerun', 'delete'),
  },
};

/** A pair for which something was decided. */
export interface DecidedPair {
  readonly fields: readonly [Field, Field];
  readonly rule: Rule;
}

/** The pairs that are defined or refused, in the order of the fields. */
export function decidedPairs(): readonly DecidedPair[] {
  return FIELDS.flatMap((first, index) =>
    FIELDS.slice(index + 1).flatMap((second) => {
      const row: Readonly<Partial<Record<Field, Crossing>>> = CROSSINGS[second];
      const rule = row[first];
      return rule === undefined || rule === SEPARATE ? [] : [{ fields: [first, second] as const, rule }];
    }),
  );
}

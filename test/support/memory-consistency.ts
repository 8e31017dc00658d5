import { compareDue } from '../../src/domain/acquisition';
import { isMisfired } from '../../src/domain/misfire';
import { isDormant } from '../../src/domain/trigger-state';
import { type JobEntry, stateOf, type TriggerEntry } from '../../src/store/memory/entries';
import type { MemoryTables } from '../../src/store/memory/memory-tables';

/** Contradictions between the indexes of the memory store; empty if there are none. */
export function inconsistencies(tables: MemoryTables, now: number, misfireThreshold: number): readonly string[] {
  const entries = [...tables.triggers.values()];
  return [
    ...entries.flatMap((entry) => faultsOfTrigger(tables, entry)),
    ...[...tables.jobs.values()].flatMap((job) => faultsOfJob(tables, job)),
    ...faultsOfCalendars(tables),
    ...faultsOfQueue(tables, now, misfireThreshold),
  ];
}

function faultsOfTrigger(tables: MemoryTables, entry: TriggerEntry): readonly string[] {
  const { trigger, job, state, runId, keyText } = entry;
  const { calendarName, nextFireTime, previousFireTime } = trigger;
  const checks: readonly (readonly [boolean, string])[] = [
    [entry.isStored, 'is not marked as stored'],
    [tables.jobs.get(job.keyText) === job, 'belongs to a job that is not stored'],
    [job.triggers.toArray().includes(entry), 'is not among the triggers of its job'],
    [tables.triggerGroups.members(trigger.key.group).includes(entry), 'is not in its group'],
    [(state === 'ACQUIRED') === (runId !== null), 'is ACQUIRED without a reservation, or the reverse'],
    [state !== 'ACQUIRED' || !job.isBlocked, 'is ACQUIRED although its job is blocked'],
    [
      job.nonConcurrent === null || job.nonConcurrent.acquired.has(entry) === (state === 'ACQUIRED'),
      'is not counted as reserved',
    ],
    [calendarName === null || tables.calendars.get(calendarName)?.triggers.has(entry) === true, 'lacks its calendar'],
    // A pause stays after the last fire time, because it also holds the waiting runs of the trigger.
    [nextFireTime !== null || isDormant(state), 'waits for no time'],
    [nextFireTime === null || previousFireTime === null || nextFireTime > previousFireTime, 'would fire a time again'],
  ];
  return checks.filter(([holds]) => !holds).map(([, fault]) => `trigger ${keyText} ${fault}`);
}

function faultsOfJob(tables: MemoryTables, job: JobEntry): readonly string[] {
  const executing = [...tables.executions.values()].filter((execution) => execution.job === job).length;
  const checks: readonly (readonly [boolean, string])[] = [
    [job.isStored && job.queue !== null, 'is not marked as stored'],
    [job.executing === executing, `counts ${job.executing} executions of ${executing}`],
    [
      (job.nonConcurrent !== null) === job.detail.disallowConcurrentExecution,
      'takes turns although it need not, or the reverse',
    ],
    [job.triggers.toArray().every((entry) => tables.triggers.get(entry.keyText) === entry), 'has a deleted trigger'],
    [tables.jobGroups.members(job.detail.key.group).includes(job), 'is not in its group'],
  ];
  return checks.filter(([holds]) => !holds).map(([, fault]) => `job ${job.keyText} ${fault}`);
}

function faultsOfCalendars(tables: MemoryTables): readonly string[] {
  return [...tables.calendars].flatMap(([name, { triggers }]) =>
    [...triggers]
      .filter((entry) => !entry.isStored || entry.trigger.calendarName !== name)
      .map((entry) => `calendar ${name} counts ${entry.keyText}`),
  );
}

/** Compares the queue with a scan of all triggers. */
function faultsOfQueue(tables: MemoryTables, now: number, misfireThreshold: number): readonly string[] {
  const clock = { now, misfireThreshold };
  const waiting = [...tables.triggers.values()].filter((entry) => stateOf(entry) === 'WAITING');
  const inOrder = (entries: readonly TriggerEntry[]) =>
    [...entries].sort((a, b) => compareDue(a.trigger, b.trigger)).map(({ keyText }) => keyText);
  const types = [...new Set(waiting.map(({ job }) => job.detail.jobType))];

  const acquirable = firstOfSerialJobs(waiting.filter(({ trigger }) => !isMisfired(trigger, clock)));
  const cursor = tables.due.acquirable(types, { now, misfireTime: now - misfireThreshold });
  const taken: TriggerEntry[] = [];
  for (let entry = cursor.takeDueBy(Infinity); entry !== null; entry = cursor.takeDueBy(Infinity)) taken.push(entry);
  cursor.end();
  for (const entry of taken) tables.due.add(entry);

  const misfired = inOrder(waiting.filter(({ trigger }) => isMisfired(trigger, clock)));
  const firstMisfired = tables.due.firstMisfired(now - misfireThreshold)?.keyText;
  return [
    ...(String(taken.map(({ keyText }) => keyText)) === String(inOrder(acquirable)) ? [] : ['queue and scan differ']),
    ...(firstMisfired === misfired[0] ? [] : ['misfired queue and scan differ']),
  ];
}

function firstOfSerialJobs(entries: readonly TriggerEntry[]): readonly TriggerEntry[] {
  const sorted = [...entries].sort((a, b) => compareDue(a.trigger, b.trigger));
  return sorted.filter(
    (entry, index) => entry.job.nonConcurrent === null || sorted.findIndex(({ job }) => job === entry.job) === index,
  );
}

import type { Scheduler } from '../api/scheduler';
import { SchedulerError } from '../base/errors';
import type { SchedulerControl } from '../scheduler/control';
import type { DatabaseReport } from '../store/database-examiner';
import { readClusterFigures } from './cluster-figures';
import {
  clockFinding,
  dataFinding,
  nodeFindings,
  noNode,
  notReady,
  orphansFinding,
  rulesFinding,
  workersFinding,
} from './cluster-findings';
import { type Draft, type Drafts, draftOf, FINDING_IDS, type Finding, REPAIRS, SECTIONS } from './finding';
import {
  chainFinding,
  figureFindings,
  findStuck,
  jobTypesFinding,
  limitKeyFinding,
  readSchedule,
  stuckFinding,
  unreadableFinding,
} from './schedule-findings';

/** Returns all faults found, most severe first. Reports an unreadable store as a finding instead of rejecting. Rejects with SCHEDULER_STATE. */
export async function findFaults(scheduler: Scheduler, control: SchedulerControl): Promise<readonly Finding[]> {
  const checks: readonly (() => Promise<Drafts>)[] = [
    async () => databaseDrafts(await control.examineDatabase()),
    async () => {
      const runtime = control.readRuntime();
      const unready = runtime.isObserver ? noNode(await scheduler.listNodes()) : await notReady(scheduler);
      return { notReady: unready };
    },
    async () => {
      const read = await readClusterFigures(scheduler, control);
      const workers = workersFinding(read.fullNodes);
      return { ...nodeFindings(read.nodes), workers, ...figureFindings(read) };
    },
    () => storedFindings(scheduler, control),
    async () => {
      const nodes = await scheduler.listNodes();
      const rulesBesideJava = rulesFinding(nodes, (await control.readRules())?.rules);
      return { rulesBesideJava, dataBesideJava: await dataFinding(nodes, control) };
    },
    async () => ({ nodeClocks: clockFinding(await control.readNodeClocks()) }),
    async () => ({ stuckTriggers: stuckFinding(await findStuck(scheduler, control)) }),
    async () => ({ orphans: orphansFinding(await control.findOrphans()) }),
  ];
  const failures = new Set<string>();
  const found = await Promise.all(
    checks.map((check) => check().catch((error: unknown) => failedCheck(error, failures))),
  );
  const drafts: Drafts = {
    ...Object.fromEntries(found.flatMap((each) => Object.entries(each))),
    storeFailure: storeFailure(failures),
  };
  const rank = { problem: 0, warning: 1, note: 2 };
  return FINDING_IDS.flatMap((id) => {
    const draft = drafts[id] ?? null;
    if (draft === null) return [];
    return [{ id, section: SECTIONS[id], ...draft, isRepairable: REPAIRS.some((each) => each === id) }];
  }).sort((a, b) => rank[a.severity] - rank[b.severity]);
}

async function storedFindings(scheduler: Scheduler, control: SchedulerControl): Promise<Drafts> {
  const [nodes, schedule] = await Promise.all([scheduler.listNodes(), readSchedule(control)]);
  const slice = control.timeSlice();
  const jobTypes = jobTypesFinding(nodes, schedule);
  await slice.rest();
  const unreadable = await unreadableFinding(scheduler, schedule);
  await slice.rest();
  const missingChainJobs = await chainFinding(schedule, control);
  await slice.rest();
  return { jobTypes, unreadable, missingChainJobs, limitKeys: await limitKeyFinding(schedule, control) };
}

function databaseDrafts(report: DatabaseReport | null): Drafts {
  if (report === null) return {};
  const clock = clockFinding([{ instanceId: null, offset: report.clockOffset }]);
  return { ...Object.fromEntries(report.faults.map(({ id, ...draft }) => [id, draft])), clock };
}

function failedCheck(error: unknown, failures: Set<string>): Drafts {
  if (!(error instanceof SchedulerError) || error.code !== 'STORE_FAILURE') throw error;
  failures.add(error.message);
  return {};
}

function storeFailure(failures: ReadonlySet<string>): Draft | null {
  return draftOf(failures.size, {
    severity: 'problem',
    expected: 'a store that answers',
    found: [...failures].slice(0, 3).join(' '),
    advice:
      'Fix the other findings first. If there are no others, check the database server and the connection to the server.',
  });
}

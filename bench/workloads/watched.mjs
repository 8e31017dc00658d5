import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { createConsole } from '../../dist/console.mjs';
import { contest, interleaved } from '../lib/contest.mjs';
import { argumentsOf, options, settings } from '../lib/options.mjs';
import { ourScheduler } from '../lib/our-scheduler.mjs';
import { print, reportOf } from '../lib/report.mjs';
import { startNodes, stopNodes } from '../lib/rounds.mjs';
import { farRows } from '../lib/tables.mjs';

export const usage = `  watched [--nodes 3] [--viewers 10] [--place ''] [--seconds 60] [--chromium /usr/bin/chromium]
         statements per second of idle nodes with a console that has no viewer, one viewer, and --viewers viewers. Viewers use a
         real Chromium. --place: the page to show, such as jobs; default: the overview.`;

/** After the start, before it counts: a node idles for hours, and looks less often from the first minute on. */
const SETTLING_MS = 75_000;

const FIGURES = [
  ['statements', 'statements a second', 1],
  ['databaseCpu', 'CPU of the database, % of a core', 2],
];

export async function run(args) {
  const own = { nodes: 3, viewers: 10, place: '', seconds: 60, far: 1_000, chromium: '/usr/bin/chromium' };
  const chosen = { ...options(args, own), store: 'mysql', 'no-java': true };
  const report = await contest(chosen, async ({ server, sides }) => {
    const [side] = await sides();
    await side.tables.load(farRows(chosen.far, Date.now()));
    const counts = [0, 1, chosen.viewers].map((viewers) => ({
      ...side,
      name: `${viewers} viewers`,
      label: viewers === 1 ? '1 viewer' : `${viewers} viewers`,
      viewers,
    }));
    const measure = (each) => watchedRound(each, chosen);
    const seen = await interleaved({ label: 'watched', rounds: chosen.rounds, sides: counts, measure });
    const title = `Watched: ${chosen.nodes} idle nodes and a console, over ${chosen.seconds} s`;
    return reportOf({
      workload: 'watched',
      title,
      server,
      seen,
      figures: FIGURES,
      main: 'statements',
      lessIsBetter: true,
    });
  });
  print([report], chosen);
}

async function watchedRound(side, { nodes, seconds, place, chromium: path }) {
  await side.tables.clear();
  const started = await startNodes(side, nodes - 1, { report: 3_600_000 });
  for (const node of started) node.say();
  const scheduler = await ourScheduler(settings(argumentsOf({ ...side.tables.settings, id: 'shown' })), {
    noop: async () => {},
  });
  await scheduler.start();
  const shown = await served(scheduler);
  const browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    await poll(browser, `${shown.url}/#/${place}`, side.viewers);
    await pause(SETTLING_MS);
    const before = { ...(await side.tables.counters()), time: performance.now() };
    await pause(seconds * 1_000);
    const after = { ...(await side.tables.counters()), time: performance.now() };
    const each = (name) => (after[name] - before[name]) / ((after.time - before.time) / 1_000);
    return { statements: each('Questions'), databaseCpu: each('cpuMs') / 10 };
  } finally {
    await browser.close();
    await shown.close();
    await scheduler.shutdown();
    await stopNodes(started);
  }
}

async function served(scheduler) {
  const actor = { name: 'bench', role: 'admin', via: 'console', from: null };
  const shown = createConsole(scheduler, { auth: { authenticate: async () => actor } });
  const server = createServer(shown.listener);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async close() {
      await shown.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Each is somebody else: with windows, sessions and connections of their own. */
async function poll(browser, url, count) {
  for (let viewer = 0; viewer < count; viewer++) {
    const page = await (await browser.newContext()).newPage();
    await page.goto(url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await pause(Math.random() * 1_000);
  }
}

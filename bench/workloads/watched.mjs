import { setTimeout as pause } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { locateChromium } from '../../test/support/browser/locate-chromium.mjs';
import { serveConsole } from '../lib/console-server.mjs';
import { compared, contest } from '../lib/contest.mjs';
import { argumentsOf, databaseOptions, settings } from '../lib/options.mjs';
import { ourScheduler } from '../lib/our-scheduler.mjs';
import { print } from '../lib/report.mjs';
import { startNodes, stopNodes } from '../lib/rounds.mjs';
import { farRows } from '../lib/tables.mjs';

export const usage = `  watched [--nodes 3] [--viewers 10] [--place ''] [--seconds 60]
         statements per second of idle nodes with a console that has no viewer, one viewer, and --viewers viewers. Viewers use a
         real Chromium. --place: the page to show, such as jobs; default: the overview.`;

/** After the start, before it counts: a node idles for hours, and looks less often from the first minute on. */
const SETTLING_MS = 75_000;

const FIGURES = [
  ['statements', 'statements a second', 1],
  ['databaseCpu', 'CPU of the database, % of a core', 2],
];

export async function run(args) {
  const own = {
    store: ['mysql'],
    nodes: 3,
    viewers: 10,
    place: '',
    seconds: 60,
    far: 1_000,
  };
  const chosen = databaseOptions(args, own);
  const report = await contest(chosen, async ({ server, sides }) => {
    const [side] = await sides();
    await side.tables.load(farRows(chosen.far, Date.now()));
    const counts = [0, 1, chosen.viewers].map((viewers) => ({
      ...side,
      name: `${viewers} viewers`,
      label: viewers === 1 ? '1 viewer' : `${viewers} viewers`,
      viewers,
    }));
    return compared({
      workload: 'watched',
      title: `Watched: ${chosen.nodes} idle nodes and a console, over ${chosen.seconds} s`,
      server,
      rounds: chosen.rounds,
      sides: counts,
      measure: (each) => watchedRound(each, chosen),
      figures: FIGURES,
      main: 'statements',
      lessIsBetter: true,
    });
  });
  print([report], chosen);
}

async function watchedRound(side, { nodes, seconds, place }) {
  await side.tables.clear();
  const started = await startNodes(side, nodes - 1, { report: 3_600_000 });
  for (const node of started) node.say();
  const scheduler = await ourScheduler(settings(argumentsOf({ ...side.tables.settings, id: 'shown' })), {
    noop: async () => {},
  });
  await scheduler.start();
  const shown = await serveConsole(scheduler);
  const { program, environment } = locateChromium();
  const args = ['--no-sandbox', '--disable-gpu'];
  const browser = await chromium.launch({ executablePath: program, env: environment, args });
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

/** Opens the page for each viewer, with a session and connections of its own. */
async function poll(browser, url, count) {
  for (let viewer = 0; viewer < count; viewer++) {
    const page = await (await browser.newContext()).newPage();
    await page.goto(url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await pause(Math.random() * 1_000);
  }
}

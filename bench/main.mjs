// npm run bench -- <workload> [options]. Every workload is a module with `run(args)` and `usage`.
import { existsSync } from 'node:fs';
import { UsageError } from './lib/options.mjs';

const BENCHMARKS = [
  'spread',
  'nodes',
  'drain',
  'limits',
  'schedule',
  'latency',
  'memory',
  'retention',
  'console',
  'watched',
  'operations',
  'cron',
  'start',
];

const COMMON = `Options of every workload:
  --rounds 3  --json
Options of every workload on a database:
  --store mysql|sqlite  --flavour mariadb|mysql (private server, durable commits)  --url mysql://user:password@host:port (running server)
  --threads 25  --batch N  --set key=value (configuration of our nodes, repeatable)`;

if (!existsSync(new URL('../dist/index.mjs', import.meta.url))) {
  console.error('dist/ is missing. Run npm run build first.');
  process.exit(2);
}
const [what, ...args] = process.argv.slice(2);
if (!BENCHMARKS.includes(what)) {
  console.error(`npm run bench -- <${BENCHMARKS.join('|')}> [options]\n`);
  for (const name of BENCHMARKS) console.error((await import(`./workloads/${name}.mjs`)).usage);
  console.error(`\n${COMMON}`);
  process.exit(2);
}
const { run, usage } = await import(`./workloads/${what}.mjs`);
try {
  await run(args);
} catch (error) {
  if (!(error instanceof UsageError) && !error.code?.startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(`${error.message}\n\n${usage}`);
  process.exitCode = 2;
}

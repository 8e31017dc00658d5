// npm run bench -- <what> [options]; every benchmark is one module with `run(args)` and `usage`.
const BENCHMARKS = {
  cron: './cron.mjs',
  drain: './drain.mjs',
  memory: './memory.mjs',
  'store-thread': './store-thread.mjs',
};

const [what, ...args] = process.argv.slice(2);
const module = BENCHMARKS[what];
if (module === undefined) {
  console.error(`Usage: npm run bench -- <${Object.keys(BENCHMARKS).join('|')}> [--json] [options]`);
  for (const path of Object.values(BENCHMARKS)) console.error((await import(path)).usage);
  process.exit(2);
}
const { run } = await import(module);
await run(args);

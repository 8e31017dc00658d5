import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { freshModules } from '../../../support/fresh-dist';

const SUPPORT = resolve(__dirname, '../../../support/threads');

/** A program that opens a store in a thread, runs `work` with it, and closes nothing. */
const program = (modules: string, thread: string, work: string) => `
const { StoreThread } = require('${modules}/store/thread/store-thread.js');
const { SystemClock } = require('${modules}/base/clock.js');
let callBegins; const begun = new Promise((resolve) => { callBegins = resolve; });
const main = { async begins() { setTimeout(callBegins, 50); } };
StoreThread.start({
  program: { file: '${SUPPORT}/${thread}' }, setup: {}, clock: new SystemClock(), targets: { main }, onCrash() {},
}).then(async ({ store }) => { await store.open(() => {}); ${work} });`;

const run = (work: string, thread = 'memory-store.cjs') => {
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    ['-e', program(freshModules(), thread, work)],
    { encoding: 'utf8', timeout: 15_000 },
  );
  return { status: status ?? signal, stdout, stderr };
};

describe('a process with a store in a thread', () => {
  it('ends by itself even if the store is still open', () => {
    expect(run("console.log('open');")).toEqual({ status: 0, stdout: 'open\n', stderr: '' });
  });

  it('does not end while a call is pending', () => {
    const work = "for (let i = 0; i < 100; i++) await store.getCalendarNames(); console.log('answered');";
    expect(run(work)).toEqual({ status: 0, stdout: 'answered\n', stderr: '' });
  });

  // Covers the SQLite package of Node 20 and 22, whose errors abort the process if their thread has ended.
  it.each([
    ['process.exit', 'process.exit(3);', 3],
    ['an uncaught error', "process.on('uncaughtException', () => process.exit(4)); throw new Error('x');", 4],
    ['the end of the program', '', 0],
    ['a close without waiting', "await store.close(0); console.log('closed'); process.exitCode = 5;", 5],
  ])('is not aborted by %s during a native call of the thread', (_, end, status) => {
    const work = `store.getCalendarNames().catch(() => {}); await begun; ${end}`;
    expect(run(work, 'native-store.cjs')).toMatchObject({ status, stderr: '' });
  });
});

import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { freshModules } from '../../../support/fresh-dist';

const SUPPORT = resolve(__dirname, '../../../support/threads');

/** A program that opens a store in a thread, does `work` with it, and closes nothing. */
const program = (modules: string, work: string) => `
const { StoreThread } = require('${modules}/store/thread/store-thread.js');
const { SystemClock } = require('${modules}/base/clock.js');
StoreThread.start({
  program: { file: '${SUPPORT}/memory-store.cjs' }, setup: {}, clock: new SystemClock(), targets: {}, onCrash() {},
}).then(async ({ store }) => { await store.open(() => {}); ${work} });`;

const run = (work: string) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', program(freshModules(), work)], {
    encoding: 'utf8',
    timeout: 15_000,
  });
  return { status, stdout, stderr };
};

describe('a process with a store in a thread', () => {
  it('ends by itself although the store is still open', () => {
    expect(run("console.log('open');")).toEqual({ status: 0, stdout: 'open\n', stderr: '' });
  });

  it('does not end while an answer is awaited', () => {
    const work = "for (let i = 0; i < 100; i++) await store.getCalendarNames(); console.log('answered');";
    expect(run(work)).toEqual({ status: 0, stdout: 'answered\n', stderr: '' });
  });
});

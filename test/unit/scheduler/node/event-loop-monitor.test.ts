import { ManualClock } from '../../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../../src/base/yield-to-event-loop';
import { EventLoopMonitor } from '../../../../src/scheduler/node/event-loop-monitor';

async function pass(clock: ManualClock, milliseconds: number): Promise<void> {
  clock.advanceBy(milliseconds);
  await yieldToEventLoop();
}

/** A monitor whose pings are answered by the test. */
function pulse(isWatched = () => true) {
  const clock = new ManualClock(0);
  const questions: ((isDebugged: boolean) => void)[] = [];
  const query = () => new Promise<boolean>((answer) => questions.push(answer));
  const answer = async (isDebugged = false) => {
    questions.at(-1)?.(isDebugged);
    await yieldToEventLoop();
  };
  return { clock, questions, answer, pulse: new EventLoopMonitor({ clock, query, isWatched }) };
}

it('the measured stall is 0 before the start and while the main thread responds', async () => {
  const { clock, pulse: feeling, questions, answer } = pulse();
  expect(feeling.stall).toBe(0);
  await feeling.service.start();
  await answer();
  await pass(clock, 400);
  expect([feeling.stall, questions.length]).toEqual([0, 1]);
  await pass(clock, 100);
  expect(questions.length).toBe(2);
  await answer();
  await feeling.service.stop();
  expect(feeling.stall).toBe(0);
});

it('the measured stall grows while the main thread does not respond, and is 0 after its response', async () => {
  const { clock, pulse: feeling, questions, answer } = pulse();
  await feeling.service.start();
  for (let passed = 0; passed < 7_000; passed += 125) await pass(clock, 125);
  expect([feeling.stall, questions.length]).toEqual([7_000, 1]);
  await answer();
  expect(feeling.stall).toBe(0);
  await feeling.service.stop();
});

it('the measured stall excludes time in which the whole process was suspended', async () => {
  const { clock, pulse: feeling, answer } = pulse();
  await feeling.service.start();
  await pass(clock, 60_000);
  expect(feeling.stall).toBeLessThanOrEqual(500);
  await answer();
  await feeling.service.stop();
});

it('the measured stall is 0 while a debugger is attached to the main thread', async () => {
  const { clock, pulse: feeling, answer } = pulse();
  await feeling.service.start();
  await answer(true);
  await pass(clock, 500);
  await pass(clock, 60_000);
  expect([feeling.isDebugged, feeling.stall]).toEqual([true, 0]);
  await feeling.service.stop();
});

it('the monitor can be stopped while a ping is unanswered', async () => {
  const { clock, pulse: feeling } = pulse();
  await feeling.service.start();
  await pass(clock, 1_000);
  await feeling.service.stop();
  expect(feeling.stall).toBe(0);
});

it('the monitor pings every 5 s while a stall does not matter, and twice a second while it does', async () => {
  let isWatched = false;
  const { clock, questions, answer, pulse: feeling } = pulse(() => isWatched);
  const passing = async (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += 500) {
      await pass(clock, 500);
      await answer();
    }
  };
  await feeling.service.start();
  await answer();
  await passing(4_500);
  expect(questions).toHaveLength(1);
  await passing(1_000);
  expect(questions).toHaveLength(2);
  isWatched = true;
  await passing(2_000);
  expect(questions).toHaveLength(6);
  await feeling.service.stop();
});

import { ManualClock } from '../../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../../src/base/yield-to-event-loop';
import { CallWatchdog, owesAnswer, type ServerProcess } from '../../../../src/store/sql/mysql/connection-watch';

describe('the watchdog of a connection', () => {
  const clock = () => new ManualClock();

  async function pass(time: ManualClock, duration: number): Promise<void> {
    time.advanceBy(duration);
    await yieldToEventLoop();
  }

  it('reports silence once when a call has had no answer for too long', async () => {
    const time = clock();
    let barks = 0;
    const watchdog = new CallWatchdog(time, { onSilence: () => barks++ });
    watchdog.begin(1_000);
    await pass(time, 999);
    expect(barks).toBe(0);
    await pass(time, 1);
    await pass(time, 5_000);
    expect(barks).toBe(1);
  });

  it('measures each call from its own start, with a single timer', async () => {
    const time = clock();
    let barks = 0;
    const watchdog = new CallWatchdog(time, { onSilence: () => barks++ });
    for (let call = 0; call < 20; call++) {
      watchdog.begin(1_000);
      await pass(time, 300);
      expect(time.wakeTimes.length).toBe(1);
      watchdog.end();
    }
    expect(barks).toBe(0);
    watchdog.begin(1_000);
    await pass(time, 1_000);
    await pass(time, 1_000);
    expect(barks).toBe(1);
  });

  it('reports a long wait repeatedly, and starts anew with the next call', async () => {
    const time = clock();
    const asked: number[] = [];
    const onLongWait = () => void asked.push(time.now());
    const watchdog = new CallWatchdog(time, { onSilence: () => asked.push(Number.NaN), longWaitMs: 400, onLongWait });
    watchdog.begin(1_000);
    await pass(time, 300);
    watchdog.end();
    watchdog.begin(1_000);
    for (let step = 0; step < 10; step++) await pass(time, 100);
    expect(asked).toEqual([700, 1_100, Number.NaN]);
  });

  it('sets no timer without a pending call or after it was stopped', async () => {
    const time = clock();
    const watchdog = new CallWatchdog(time, { onSilence: () => undefined });
    watchdog.begin(1_000);
    watchdog.end();
    await pass(time, 1_000);
    expect(time.nextWakeTime).toBeNull();
    watchdog.begin(1_000);
    watchdog.stop();
    await yieldToEventLoop();
    expect(time.nextWakeTime).toBeNull();
  });
});

const process = (Id: number, Command: string, Time: number, Info: string | null = null): ServerProcess => ({
  Id,
  Command,
  Time,
  Info,
});
const reader = process(7, 'Query', 0, 'SHOW PROCESSLIST');

describe('the process list of a server', () => {
  it.each([
    ['the statement is running', [reader, process(5, 'Execute', 9, 'SELECT …')], true],
    ['the connection is rolling back', [reader, process(5, 'Killed', 9)], true],
    ['the connection is idle, so the answer or the statement was lost', [reader, process(5, 'Sleep', 2)], false],
    ['the connection has just become idle', [reader, process(5, 'Sleep', 1)], true],
    ['the connection does not exist', [reader], false],
  ])('shows whether a connection still owes an answer: %s', (_, processes, expected) =>
    expect(owesAnswer(5, { reader: 7, processes })).toBe(expected));

  it.each([
    ['the reader is not listed', [process(5, 'Sleep', 9)]],
    ['another connection has the id of the reader', [process(7, 'Sleep', 1), process(5, 'Sleep', 9)]],
    ['no statements are listed', [process(7, 'Query', 0), process(5, 'Sleep', 9)]],
  ])('is inconclusive if %s, as behind a proxy', (_, processes) =>
    expect(owesAnswer(5, { reader: 7, processes })).toBeNull());
});

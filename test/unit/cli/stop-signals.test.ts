import { EventEmitter } from 'node:events';
import { listenForStop } from '../../../src/cli/stop-signals';

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number) {
    this.exits.push(code);
  }
}

it.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
])('asks to stop at the first signal and exits at the second %s with %d', (second, code) => {
  const source = new FakeProcess();
  const stop = listenForStop(source);
  source.emit('SIGTERM');
  expect(stop.signal.aborted).toBe(true);
  expect(stop.signal.reason).toBe('SIGTERM');
  expect(source.exits).toEqual([]);
  source.emit(second);
  expect(source.exits).toEqual([code]);
});

it('lets go of the signals', () => {
  const source = new FakeProcess();
  listenForStop(source).release();
  expect(source.listenerCount('SIGTERM') + source.listenerCount('SIGINT')).toBe(0);
});

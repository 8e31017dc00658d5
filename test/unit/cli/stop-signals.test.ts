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
])('the first signal requests a stop, and a second %s exits the process with %d', (second, code) => {
  const source = new FakeProcess();
  const stop = listenForStop(source);
  source.emit('SIGTERM');
  expect(stop.aborted).toBe(true);
  expect(stop.reason).toBe('SIGTERM');
  expect(source.exits).toEqual([]);
  source.emit(second);
  expect(source.exits).toEqual([code]);
});

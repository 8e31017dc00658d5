import { signal } from '@preact/signals';
import { serverNow } from './clock';

/** Times at which this page interrupted runs, by run id, in epoch milliseconds. */
export const interrupts = signal<ReadonlyMap<string, number>>(new Map());

export function noteInterrupt(runId: string): void {
  interrupts.value = new Map([...interrupts.value, [runId, serverNow()]]);
}

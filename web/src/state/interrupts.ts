import { signal } from '@preact/signals';
import { serverNow } from './clock';

/** When this page asked runs to stop, by fire instance id. Epoch milliseconds. */
export const interrupts = signal<ReadonlyMap<string, number>>(new Map());

export function noteInterrupt(fireInstanceId: string): void {
  interrupts.value = new Map([...interrupts.value, [fireInstanceId, serverNow()]]);
}

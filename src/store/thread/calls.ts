import type { TransferredError } from './transferred-error';

/** One end of a connection between two threads: a Worker seen from outside, or the port inside it. */
export interface Channel {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** A request: run `method` with `args`. Plain data only. */
export interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** The answer to the call with the same id. */
export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: TransferredError };

/** Something told that wants no answer. Arrives before the reply of a call that ends later. */
export interface Notice {
  readonly notice: string;
  readonly value: unknown;
}

/** What an end may be asked for: asynchronous functions over plain data. */
export type Methods = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/** Names of the asynchronous methods of a port. */
export type MethodNames<Port> = {
  [Name in keyof Port]: Port[Name] extends (...args: never[]) => Promise<unknown> ? Name : never;
}[keyof Port];

import type { Connection, QueryError } from 'mysql2';
import type { SqlValue } from '../sql-driver';

/** What a statement came to: rows, or how many changed. */
export type Answered = (error: QueryError | null, answer?: unknown) => void;

/** A command of mysql2 as its connection drives it: begun without a packet, then given every packet until it is done. */
interface Command {
  onResult?(error: QueryError): void;
  execute(packet: unknown, wire: Wire): boolean;
}

/** What of mysql2's connection is needed to send a command before the one ahead of it has been answered. */
interface Wire {
  /** Of the packet that comes next. Each command and its answer count from 0 by themselves. */
  sequenceId: number;
  addCommand(command: Command): Command;
}

/** A statement that the server has prepared. */
interface Prepared {
  execute(values: SqlValue[], answered: Answered): unknown;
}

/**
 * Sends statements without waiting for the answers to those before. The server takes one after the other from the wire, in
 * order, so nothing runs at the same time; what is saved is the way there and back, while the server (and whoever waits for
 * its locks) has nothing to do. mysql2 itself sends a command when the one before is answered; here the commands that are
 * under way share one place in its queue.
 */
export class Pipeline {
  readonly #connection: Connection;
  readonly #wire: Wire;
  readonly #prepared = new Map<string, Prepared>();
  /** The last in the queue, if more may be sent behind it. */
  #last: Convoy | null = null;
  #isSending = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#wire = connection as unknown as Wire;
    const queue = this.#wire.addCommand.bind(this.#wire);
    this.#wire.addCommand = (command) => {
      if (this.#isSending) this.#join(command, queue);
      else {
        this.#last = null;
        queue(command);
      }
      return command;
    };
  }

  #join(command: Command, queue: (command: Command) => void): void {
    if (this.#last?.isUnderWay) {
      this.#last.add(command);
    } else {
      this.#last = new Convoy(command, this.#wire);
      queue(this.#last);
    }
  }

  /** Prepares the statement the first time; that takes its turn, as every other command does. */
  execute(text: string, values: SqlValue[], answered: Answered): void {
    const prepared = this.#prepared.get(text);
    if (prepared === undefined) {
      this.#connection.prepare(text, (error, statement) => {
        if (error === null) this.#prepared.set(text, statement as unknown as Prepared);
      });
      this.#connection.execute(text, values, answered);
      return;
    }
    this.#isSending = true;
    try {
      prepared.execute(values, answered);
    } finally {
      this.#isSending = false;
    }
  }
}

/** Commands that are sent one behind the other. For the connection they are one command, which ends with the last answer. */
class Convoy implements Command {
  readonly #wire: Wire;
  /** In the order in which they were, or will be, sent; the first is the one being answered. */
  readonly #commands: { readonly command: Command; sequenceId: number }[];
  #isSent = false;

  constructor(first: Command, wire: Wire) {
    this.#wire = wire;
    this.#commands = [{ command: first, sequenceId: 0 }];
  }

  /** Whether what is added will be sent. */
  get isUnderWay(): boolean {
    return this.#commands.length > 0;
  }

  add(command: Command): void {
    const each = { command, sequenceId: 0 };
    this.#commands.push(each);
    if (this.#isSent) this.#send(each);
  }

  /** Called by the connection: when it is this one's turn, then with every packet. */
  execute(packet: unknown): boolean {
    if (!this.#isSent) {
      this.#isSent = true;
      for (const each of [...this.#commands]) this.#send(each);
      return !this.isUnderWay;
    }
    const [first] = this.#commands;
    if (first === undefined || !first.command.execute(packet, this.#wire)) return false;
    this.#commands.shift();
    const [next] = this.#commands;
    if (next === undefined) return true;
    this.#wire.sequenceId = next.sequenceId;
    return false;
  }

  /** The connection is lost: called instead of `execute`. */
  onResult(error: QueryError): void {
    for (const { command } of this.#commands.splice(0)) command.onResult?.(error);
  }

  #send(each: { readonly command: Command; sequenceId: number }): void {
    const expected = this.#wire.sequenceId;
    const isOver = each.command.execute(undefined, this.#wire);
    each.sequenceId = this.#wire.sequenceId;
    if (this.#commands[0] !== each) this.#wire.sequenceId = expected; // an answer is on its way
    if (isOver) this.#commands.splice(this.#commands.indexOf(each), 1);
  }
}

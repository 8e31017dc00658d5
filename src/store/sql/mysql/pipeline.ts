import type { Duplex } from 'node:stream';
import type { Connection, QueryError } from 'mysql2';
import type { SqlValue } from '../runtime/sql-driver';

/** Receives the result of a statement: its rows, or the number of changed rows. */
type Answered = (error: QueryError | null, answer?: unknown) => void;

/** A command of mysql2. The connection calls `execute` first without a packet, then with each packet until it returns true. */
interface Command {
  onResult?(error: QueryError): void;
  execute(packet: unknown, internals: InternalConnection): boolean;
}

/** Internals of mysql2's connection that are needed to send a command before the previous command was answered. */
interface InternalConnection {
  /** Sequence number of the next packet. Each command, together with its answer, counts from 0. */
  sequenceId: number;
  addCommand(command: Command): Command;
  readonly stream: Pick<Duplex, 'cork' | 'uncork'>;
  /** Called with each packet that arrives, and without a packet when the next command begins. */
  handlePacket(packet?: { readonly sequenceId: number; isError(): boolean }): void;
}

interface Prepared {
  execute(values: SqlValue[], answered: Answered): unknown;
}

type Unsent = { readonly command: Command } | UnsentStatement;

interface UnsentStatement {
  readonly text: string;
  /** Values of the parameters; null if the statement is sent as text, because the server cannot prepare it. */
  readonly values: SqlValue[] | null;
  readonly answered: Answered;
  /** Error with which the server refused to prepare the statement; null if none. */
  refusal: QueryError | null;
}

/**
 * Sends statements without waiting for the answers to earlier statements. The server still runs the statements in order, one at a time.
 * Pipelining saves round trips, during which the server would be idle, and other transactions would wait for its locks. mysql2 itself sends
 * a command only when the previous one is answered. Here, the commands in flight form one entry in mysql2's queue.
 *
 * The server must prepare a statement before its first use. The request to prepare is sent immediately, before earlier commands that still
 * wait. Statements sent together therefore need only one additional round trip. Later commands wait, so the order does not change.
 */
export class Pipeline {
  readonly #connection: Connection;
  readonly #internals: InternalConnection;
  /** Prepared statements by text; null while the request is pending. */
  readonly #prepared = new Map<string, Prepared | null>();
  readonly #unsent: Unsent[] = [];
  readonly #queue: (command: Command) => void;
  /** Last batch in the queue. Null if a command outside of a batch was queued after it. */
  #last: CommandBatch | null = null;
  #isSending = false;
  #isGathering = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#internals = connection as unknown as InternalConnection;
    this.#queue = this.#internals.addCommand.bind(this.#internals);
    this.#internals.addCommand = (command) => {
      if (this.#isSending) this.#join(command);
      else if (this.#unsent.length > 0) this.#unsent.push({ command });
      else this.#queueAlone(command);
      return command;
    };
    correctClosingPacket(this.#internals);
  }

  execute(text: string, values: SqlValue[], answered: Answered): void {
    this.#unsent.push({ text, values, answered, refusal: null });
    if (this.#prepared.get(text) === undefined) this.#prepare(text);
    this.#sendReady();
  }

  /** Sends a statement without parameters as text. */
  query(text: string, answered: Answered): void {
    this.#unsent.push({ text, values: null, answered, refusal: null });
    this.#sendReady();
  }

  #prepare(text: string): void {
    this.#prepared.set(text, null);
    this.#together(() =>
      this.#connection.prepare(text, (error, statement) => {
        if (error === null) this.#prepared.set(text, statement as unknown as Prepared);
        else this.#refuse(text, error);
        this.#sendReady();
      }),
    );
  }

  #refuse(text: string, error: QueryError): void {
    this.#prepared.delete(text); // the next use prepares the statement again
    for (const each of this.#unsent) if ('text' in each && each.text === text) each.refusal = error;
  }

  /** Sends the waiting commands in order, up to the first statement that is not prepared yet. */
  #sendReady(): void {
    for (let [next] = this.#unsent; next !== undefined; [next] = this.#unsent) {
      if (!this.#sendOne(next)) return;
    }
  }

  #sendOne(next: Unsent): boolean {
    if ('command' in next) return this.#sent(() => this.#queueAlone(next.command));
    const { text, values, answered, refusal } = next;
    if (refusal !== null) return this.#sent(() => answered(refusal));
    if (values === null) return this.#sent(() => this.#together(() => this.#connection.query(text, answered)));
    const prepared = this.#prepared.get(text);
    if (!prepared) return false;
    return this.#sent(() => this.#together(() => prepared.execute(values, answered)));
  }

  #sent(send: () => void): true {
    this.#unsent.shift();
    send();
    return true;
  }

  #together(send: () => void): void {
    this.#gather();
    this.#isSending = true;
    try {
      send();
    } finally {
      this.#isSending = false;
    }
  }

  /** Statements that are sent in one turn of the event loop leave in one packet. mysql2 would write each of them by a system call of its own. */
  #gather(): void {
    if (this.#isGathering) return;
    const { stream } = this.#internals;
    this.#isGathering = true;
    stream.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }

  #queueAlone(command: Command): void {
    this.#last = null;
    this.#queue(command);
  }

  #join(command: Command): void {
    if (this.#last?.isUnderWay) {
      this.#last.add(command);
    } else {
      this.#last = new CommandBatch(command, this.#internals);
      this.#queue(this.#last);
    }
  }
}

/**
 * Corrects the sequence number of the packet with which MySQL closes an idle session, which is always 0. If a statement is sent at that
 * time, mysql2 reads this packet as the statement's answer. Without the correction, mysql2 warns on the console that packets are out of
 * order. As an answer, the packet is correct: the statement fails, and the session is replaced.
 */
function correctClosingPacket(internals: InternalConnection): void {
  const handlePacket = internals.handlePacket.bind(internals);
  internals.handlePacket = (packet) => {
    if (packet?.sequenceId === 0 && internals.sequenceId !== 0 && packet.isError()) internals.sequenceId = 0;
    handlePacket(packet);
  };
}

/** Commands that are sent one after the other. The connection sees a single command, which ends with the last answer. */
class CommandBatch implements Command {
  readonly #internals: InternalConnection;
  /** Commands in sending order. The server is answering the first one. */
  readonly #commands: { readonly command: Command; sequenceId: number }[];
  #isSent = false;

  constructor(first: Command, internals: InternalConnection) {
    this.#internals = internals;
    this.#commands = [{ command: first, sequenceId: 0 }];
  }

  /** True if the batch has unanswered commands, so that it can still send more. */
  get isUnderWay(): boolean {
    return this.#commands.length > 0;
  }

  add(command: Command): void {
    const each = { command, sequenceId: 0 };
    this.#commands.push(each);
    if (this.#isSent) this.#send(each);
  }

  /** Called by the connection when this command's turn comes, then with every packet. Returns true when all commands are answered. */
  execute(packet: unknown): boolean {
    if (!this.#isSent) {
      this.#isSent = true;
      for (const each of [...this.#commands]) this.#send(each);
      return !this.isUnderWay;
    }
    const [first] = this.#commands;
    if (first === undefined || !first.command.execute(packet, this.#internals)) return false;
    this.#commands.shift();
    const [next] = this.#commands;
    if (next === undefined) return true;
    this.#internals.sequenceId = next.sequenceId;
    return false;
  }

  /** Called instead of `execute` when the connection is lost. */
  onResult(error: QueryError): void {
    for (const { command } of this.#commands.splice(0)) command.onResult?.(error);
  }

  #send(each: { readonly command: Command; sequenceId: number }): void {
    const expected = this.#internals.sequenceId;
    const isOver = each.command.execute(undefined, this.#internals);
    each.sequenceId = this.#internals.sequenceId;
    if (this.#commands[0] !== each) this.#internals.sequenceId = expected; // the next packet still belongs to an earlier command
    if (isOver) this.#commands.splice(this.#commands.indexOf(each), 1);
  }
}

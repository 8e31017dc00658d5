import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Fault of a flush. `lost`: the connection ends before the flush arrives. `answerLost`: the flush arrives completely, and the connection ends before
 * an answer passes. `late`: the connection of the client ends, and the flush arrives when `deliver` is called. The client cannot distinguish them.
 */
export type FlushFault = 'lost' | 'answerLost' | 'late';

interface Armed {
  readonly fault: FlushFault;
  /** Number of packets of the flush that arrive in any case. */
  readonly passing: number;
}

/** The current flush of a connection. */
interface Flush extends Armed {
  passed: number;
  isComplete: boolean;
  readonly held: Buffer[];
}

/** Codes of the commands that prepare and execute a statement, the fifth byte of their packets. */
const PREPARE = 0x16;
const EXECUTE = 0x17;

/** A TCP proxy in front of a MySQL or MariaDB server that cuts a flush between two of its packets. */
export class PacketGate {
  readonly #listener: Server;
  readonly #target: URL;
  readonly #isLast: (packet: Buffer) => boolean;
  readonly #sockets = new Set<Socket>();
  #armed: Armed | null = null;
  #late: (() => Promise<void>) | null = null;
  /** Number of packets of the last flush that met a fault. */
  packets = 0;

  private constructor(listener: Server, target: URL, isLast: (packet: Buffer) => boolean) {
    this.#listener = listener;
    this.#target = target;
    this.#isLast = isLast;
  }

  /** `isLast`: true for the packet of a flush that commits. */
  static async before(url: string, isLast: (packet: Buffer) => boolean): Promise<PacketGate> {
    const listener = createServer();
    const gate = new PacketGate(listener, new URL(url), isLast);
    listener.on('connection', (client) => gate.#accept(client));
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return gate;
  }

  get url(): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${(this.#listener.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Applies the fault to the flush that begins with the next prepared statement of a client. */
  faultNextFlush(fault: FlushFault, passing = 0): void {
    this.#armed = { fault, passing };
    this.packets = 0;
  }

  /** Delivers the rest of a late flush, if there is one. Resolves when the server has run it. */
  async deliver(): Promise<void> {
    const late = this.#late;
    this.#late = null;
    await late?.();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#listener.close();
    await once(this.#listener, 'close');
  }

  #accept(client: Socket): void {
    const server = connect({ port: Number(this.#target.port), host: this.#target.hostname, allowHalfOpen: true });
    let flush: Flush | null = null;
    let unread = Buffer.alloc(0);
    client.on('data', (bytes) => {
      unread = Buffer.concat([unread, bytes]);
      for (let packet = packetAt(unread); packet !== null; packet = packetAt(unread)) {
        unread = unread.subarray(packet.length);
        if (packet[4] === EXECUTE) flush ??= this.#takeFlush();
        // After a request to prepare, the client waits for the answer before it sends the rest of the flush.
        if (flush === null || packet[4] === PREPARE) server.write(packet);
        else this.#pass(flush, packet, { client, server });
      }
    });
    server.on('data', (bytes) => {
      if (flush === null || !flush.isComplete) client.write(bytes);
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay();
      socket.on('error', () => socket.destroy());
      socket.on('end', () => {
        if (flush === null || socket === server) socket.end();
      });
      socket.on('close', () => {
        this.#sockets.delete(socket);
        if (flush === null) other.destroy();
      });
    }
  }

  #takeFlush(): Flush | null {
    const armed = this.#armed;
    this.#armed = null;
    return armed === null ? null : { ...armed, passed: 0, isComplete: false, held: [] };
  }

  #pass(flush: Flush, packet: Buffer, { client, server }: { readonly client: Socket; readonly server: Socket }): void {
    const { fault, passing, held } = flush;
    if (flush.isComplete) return;
    this.packets++;
    flush.isComplete = this.#isLast(packet);
    if (fault === 'answerLost' || flush.passed < passing) {
      flush.passed++;
      server.write(packet);
    } else {
      held.push(packet);
    }
    if (!flush.isComplete) return;
    if (fault === 'late') {
      this.#late = () => ending(server, Buffer.concat(held));
      client.resetAndDestroy();
      return;
    }
    // The server runs what has arrived before it sees the end of the connection.
    void ending(server, null).then(() => client.resetAndDestroy());
  }
}

/** Sends the rest, and the end of the connection. Resolves when the server has ended it too. */
async function ending(server: Socket, rest: Buffer | null): Promise<void> {
  if (server.destroyed) return; // the server has ended it, because it was idle for too long
  const closed = once(server, 'close');
  if (rest !== null) server.write(rest);
  server.end();
  await closed;
}

/** The first packet of the protocol in the bytes, with its header of a length and a number; null if the rest of it has not arrived. */
function packetAt(bytes: Buffer): Buffer | null {
  const length = bytes.length < 4 ? Number.POSITIVE_INFINITY : bytes.readUIntLE(0, 3) + 4;
  return bytes.length < length ? null : bytes.subarray(0, length);
}

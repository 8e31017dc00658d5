import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * `hold`: packets wait until the link is healed, as when a cable is unplugged and plugged in again.
 * `lose`: packets are lost without an error, as when a router has forgotten the connection. `loseAnswers`: the same for responses only.
 * `refuse`: no new connection is accepted.
 */
export type LinkMode = 'pass' | 'hold' | 'lose' | 'loseAnswers' | 'refuse';

/** `before`: the commit is lost; `after`: its response is lost; `silent`: like `after`, but the connection stays open. */
export type CommitLoss = { readonly share: number; readonly how: 'before' | 'after' | 'silent' };

export interface LinkState {
  mode: LinkMode;
  /** Milliseconds in each direction. */
  latency: number;
  /** Share of packets after which the connection is reset. */
  resets: number;
  commits: CommitLoss | null;
}

const HEALTHY: LinkState = { mode: 'pass', latency: 0, resets: 0, commits: null };
/** COMMIT packets. For MySQL, the number of query attributes precedes the text. */
const COMMITS = ['\u0003COMMIT', '\u0003\0\u0001COMMIT'].map((packet) => Buffer.from(packet, 'latin1'));
const ANSWER_DELAY = 30;

const isCommit = (bytes: Buffer) => COMMITS.some((commit) => bytes.includes(commit));

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** The connection has lost packets, so that it transfers no more data in either direction. */
  isLost: boolean;
  isDeaf: boolean;
  readonly held: (() => void)[];
}

/** A TCP proxy between one node and the database, with lasting faults. `random` decides about shares. */
export class FaultyLink {
  readonly state: LinkState = { ...HEALTHY };
  /** Number of connections that were cut. */
  cuts = 0;
  readonly #listener: Server;
  readonly #port: number;
  readonly #random: () => number;
  readonly #pairs = new Set<Pair>();

  private constructor(listener: Server, port: number, random: () => number) {
    this.#listener = listener;
    this.#port = port;
    this.#random = random;
  }

  static async to(port: number, random: () => number): Promise<FaultyLink> {
    const listener = createServer();
    const link = new FaultyLink(listener, port, random);
    listener.on('connection', (client) => link.#accept(client));
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return link;
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  /** Resets every connection. */
  cut(): void {
    for (const pair of this.#pairs) this.#reset(pair);
  }

  /** Delivers held packets. A connection that has lost packets stays silent until one side closes it. */
  heal(): void {
    Object.assign(this.state, HEALTHY);
    for (const { held } of this.#pairs) for (const pass of held.splice(0)) pass();
  }

  close(): void {
    this.#listener.close();
    this.cut();
  }

  #accept(client: Socket): void {
    if (this.state.mode === 'refuse') {
      client.destroy();
      return;
    }
    const server = connect(this.#port, '127.0.0.1');
    const pair: Pair = { client, server, isLost: false, isDeaf: false, held: [] };
    this.#pairs.add(pair);
    for (const socket of [client, server]) socket.setNoDelay(true).on('error', () => undefined);
    client.on('data', (bytes) => this.#fromClient(pair, bytes)).on('close', () => this.#ended(pair));
    server.on('data', (bytes) => this.#fromServer(pair, bytes)).on('close', () => this.#ended(pair));
  }

  #fromClient(pair: Pair, bytes: Buffer): void {
    if (this.state.mode === 'lose') pair.isLost = true;
    if (pair.isLost) return;
    const { commits } = this.state;
    const isLost = commits !== null && isCommit(bytes) && this.#random() < commits.share;
    if (isLost) this.#lose(pair, bytes, commits.how);
    else this.#pass(pair, pair.server, bytes);
  }

  #lose(pair: Pair, commit: Buffer, how: CommitLoss['how']): void {
    this.cuts += 1;
    pair.isDeaf = true;
    if (how === 'before') this.#end(pair);
    else pair.server.write(commit);
    if (how === 'after') setTimeout(() => this.#end(pair), ANSWER_DELAY);
  }

  #fromServer(pair: Pair, bytes: Buffer): void {
    if (this.state.mode === 'lose') pair.isLost = true;
    if (this.state.mode === 'loseAnswers') pair.isDeaf = true;
    if (!pair.isDeaf && !pair.isLost) this.#pass(pair, pair.client, bytes);
  }

  #pass(pair: Pair, to: Socket, bytes: Buffer): void {
    const write = () => void (to.destroyed || to.write(bytes));
    if (this.state.mode === 'hold') pair.held.push(write);
    else if (this.state.latency > 0) setTimeout(write, this.state.latency);
    else write();
    if (this.state.resets > 0 && this.#random() < this.state.resets) {
      this.cuts += 1;
      this.#reset(pair);
    }
  }

  /** Forwards the end of a connection, unless the link transfers no data. */
  #ended(pair: Pair): void {
    if (pair.isLost || (pair.isDeaf && this.state.mode !== 'pass')) return;
    const end = () => this.#end(pair);
    if (this.state.mode === 'hold') pair.held.push(end);
    else if (this.state.latency > 0) setTimeout(end, this.state.latency);
    else end();
  }

  #end(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  }

  #reset(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.client.resetAndDestroy();
    pair.server.resetAndDestroy();
  }
}

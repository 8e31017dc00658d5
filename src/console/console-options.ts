import type { RequestListener } from 'node:http';
import type { AccessOptions } from './auth/authenticator-of';

/** How schedulers are shown, and to whom. */
export interface ConsoleOptions extends AccessOptions {
  /** True to make the console read-only for every role. Default: false. */
  readonly readOnly?: boolean;
  /**
   * The path below which requests arrive, such as `/admin/quartz`; default: the root. Not needed where a framework takes the path away
   * before (`app.use('/admin/quartz', console.listener)` of Express).
   */
  readonly basePath?: string;
}

/** Schedulers over HTTP: a page, and an API with its OpenAPI document. Gives no connection and opens no port by itself. */
export interface Console {
  /** Answers a request. Never rejects: what goes wrong is a problem document (RFC 9457). */
  fetch(request: Request): Promise<Response>;
  /** The same for Node's http, Express, Fastify and NestJS. To be mounted before anything that reads bodies. */
  readonly listener: RequestListener;
  /** Ends the streams of events, and lets none begin: a server would never close before. Requests are answered on. */
  close(): Promise<void>;
}

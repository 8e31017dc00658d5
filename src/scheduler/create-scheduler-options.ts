import type { Logger } from '../api/logger';
import type { Plugin } from '../api/plugin';
import type { Jobs } from '../api/scheduler';
import type { Clock } from '../base/clock';
import type { RandomSource } from '../base/ids';
import type { Environment } from '../config/scheduler-config';
import type { MysqlPool } from './node/given-database';

/** Options that only a program can pass, because the configuration cannot express them. */
export interface CreateSchedulerOptions<Registry extends Jobs = Jobs> {
  /**
   * Job types that this process can run. The compiler checks the names and data passed to `schedule`, `enqueue`, `declare` and `sync` against them.
   *
   * If the program also calls `registerJob`, declare its scheduler as type `Scheduler`, which accepts any name.
   */
  readonly jobs?: Registry;
  /**
   * Logger: pino, winston, Nest's `Logger`, `console`, or any object with their methods. Default: a pino logger on standard error. The configured
   * level limits that logger, and any logger without `isLevelEnabled`.
   */
  readonly logger?: Logger;
  /** Plugins to install after the configured plugins. */
  readonly plugins?: readonly Plugin[];
  /**
   * True to let `currentJobContext()` return the context of the running job in all code that the job calls. Default: false. Within middleware, the
   * function works without this option. Before Node 24, the option slows down every promise of the process.
   */
  readonly currentJobContext?: boolean;
  /** True to let the process exit while this scheduler is running. Default: false. Has no effect if you pass `clock`. */
  readonly unref?: boolean;
  /**
   * An existing mysql2 pool, with callbacks or promises. The scheduler copies the pool's settings (address, login, TLS, stream) but opens its own
   * connections, because it changes their session settings and never releases them.
   *
   * If the configuration names no database, the scheduler uses the pool's database. The store then runs in this thread, because a pool cannot be
   * passed to another thread.
   */
  readonly pool?: MysqlPool;
  /**
   * Returns the database password. Called for each new connection, so it may return a short-lived token. Takes precedence over the configured
   * password. While it fails, the database counts as unreachable. The password is never logged.
   */
  readonly password?: () => string | Promise<string>;
  /** Clock to use instead of the system's. If you pass `clock` or `random`, a database store runs in this thread. */
  readonly clock?: Clock;
  /** Source of random ids. Default: the system's. */
  readonly random?: RandomSource;
  /** Environment variables that the configuration can refer to. Default: `process.env`. */
  readonly env?: Environment;
}

import type { JobLog, JobReport } from '../api/job-report';
import type { JobProgress } from '../api/runs';
import type { Clock } from '../base/clock';
import { isError } from '../base/error-values';
import { toError } from '../base/errors';
import { checkText, describeValue, invalidArgument, truncateText } from '../domain/check-text';
import type { JsonValue } from '../domain/job-data';
import type { RunTail } from '../domain/progress';
import type { RunDetail, RunLine } from '../domain/run';

/** Limits on a job's output. Text lengths are in characters. */
const LIMITS = {
  summary: 1_000,
  metrics: 50,
  metricName: 100,
  progressMessage: 1_000,
  logMessage: 4_000,
  logData: 8_000,
  /** Maximum size of all log lines of a run as JSON, in bytes. */
  logBytes: 64 * 1024,
} as const;

const OUTCOMES = ['succeeded', 'failed', 'skipped'] as const;

/** Report, progress and log lines of one run. Created when the job first uses one of them. */
export class RunNotes {
  /** Log functions of the job. They do not use `this`. */
  readonly log: JobLog;
  readonly #lines: RunLine[] = [];
  /** Size of each line as JSON, in bytes. */
  readonly #sizes: number[] = [];
  #size = 0;
  #report: JobReport = {};
  #progress: JobProgress | null = null;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #onOutput: () => void;
  /** Number of oldest log lines that were dropped to stay within `logBytes`. */
  #dropped = 0;

  /** Calls `onOutput` after each log line and each change of the progress. */
  constructor(clock: Pick<Clock, 'now'>, onOutput: () => void = () => undefined) {
    this.#clock = clock;
    this.#onOutput = onOutput;
    this.log = jobLog((line) => this.#add({ at: clock.now(), ...line }));
  }

  get report(): JobReport {
    return this.#report;
  }

  get progress(): JobProgress | null {
    return this.#progress;
  }

  /** Returns the newest log lines: at most `maxBytes` of JSON, and none before line number `from`, counted from 0. */
  tail(maxBytes: number, from = 0): RunTail {
    let start = this.#lines.length;
    let size = 0;
    while (start > Math.max(0, from - this.#dropped)) {
      size += this.#sizes[start - 1] ?? 0;
      if (size > maxBytes) break;
      start--;
    }
    return { skipped: this.#dropped + start, lines: this.#lines.slice(start) };
  }

  /** Summary, metrics and log lines of the job, for the run history. Omits members that are empty. */
  get detail(): Pick<RunDetail, 'summary' | 'metrics' | 'lines' | 'droppedLines'> {
    const { summary, metrics } = this.#report;
    const lines = this.#lines;
    return {
      ...(summary === undefined ? {} : { summary }),
      ...(this.#dropped === 0 ? {} : { droppedLines: this.#dropped }),
      ...(metrics === undefined ? {} : { metrics }),
      ...(lines.length === 0 ? {} : { lines }),
    };
  }

  /** Merges a report into the previous one. Throws INVALID_ARGUMENT if it is invalid; the previous report then stays unchanged. */
  addReport(report: unknown): void {
    const checked = checkReport(report);
    const metrics = { ...this.#report.metrics, ...checked.metrics };
    if (Object.keys(metrics).length > LIMITS.metrics) {
      throw invalidArgument(`at most ${LIMITS.metrics} metrics in the report of a job`, Object.keys(metrics).length);
    }
    this.#report = { ...this.#report, ...checked, ...(checked.metrics === undefined ? {} : { metrics }) };
  }

  /** Sets the progress. Throws INVALID_ARGUMENT if `fraction` is not a number from 0 to 1, or if `message` is not a string. */
  setProgress(fraction: unknown, message: unknown = null): void {
    if (typeof fraction !== 'number' || !(fraction >= 0 && fraction <= 1)) {
      throw invalidArgument('a number from 0 to 1 as the progress of a job', fraction);
    }
    if (message !== null && typeof message !== 'string') {
      throw invalidArgument('a string as the progress message of a job', message);
    }
    const text = message === null ? null : truncateText(message, LIMITS.progressMessage);
    this.#progress = Object.freeze({ fraction, message: text, at: new Date(this.#clock.now()) });
    this.#onOutput();
  }

  /** Clears the report and the progress before a refire, but not the log lines. */
  startOver(): void {
    this.#report = {};
    this.#progress = null;
  }

  #add(line: RunLine): void {
    const size = Buffer.byteLength(JSON.stringify(line)) + 1;
    this.#lines.push(line);
    this.#sizes.push(size);
    this.#size += size;
    while (this.#size > LIMITS.logBytes) {
      this.#lines.shift();
      this.#size -= this.#sizes.shift() ?? 0;
      this.#dropped++;
    }
    this.#onOutput();
  }
}

const REPORT_KEYS: ReadonlySet<PropertyKey> = new Set(['outcome', 'summary', 'metrics'] satisfies (keyof JobReport)[]);

/** True if a job's return value is a report: a non-empty object with only `outcome`, `summary` and `metrics`, all of valid types. */
export function isReport(returned: unknown): boolean {
  if (typeof returned !== 'object' || returned === null || Array.isArray(returned)) return false;
  const keys = Reflect.ownKeys(returned);
  if (keys.length === 0 || !keys.every((key) => REPORT_KEYS.has(key))) return false;
  const { outcome, summary, metrics } = returned as Readonly<Record<keyof JobReport, unknown>>;
  return (
    (outcome === undefined || OUTCOMES.includes(outcome as never)) &&
    (summary === undefined || typeof summary === 'string') &&
    (metrics === undefined || isNumbers(metrics))
  );
}

function isNumbers(metrics: unknown): boolean {
  return (
    typeof metrics === 'object' &&
    metrics !== null &&
    !Array.isArray(metrics) &&
    Object.values(metrics).every((value) => typeof value === 'number')
  );
}

function checkReport(report: unknown): JobReport {
  if (typeof report !== 'object' || report === null) throw invalidArgument('an object as the report of a job', report);
  const unknown = Reflect.ownKeys(report).find((key) => !REPORT_KEYS.has(key));
  if (unknown !== undefined) {
    throw invalidArgument('only outcome, summary and metrics in the report of a job', String(unknown));
  }
  const { outcome, summary, metrics } = report as Readonly<Record<keyof JobReport, unknown>>;
  return {
    ...(outcome === undefined ? {} : { outcome: checkOutcome(outcome) }),
    ...(summary === undefined ? {} : { summary: checkSummary(summary) }),
    ...(metrics === undefined ? {} : { metrics: checkMetrics(metrics) }),
  };
}

function checkOutcome(outcome: unknown): NonNullable<JobReport['outcome']> {
  const known = OUTCOMES.find((each) => each === outcome);
  if (known === undefined)
    throw invalidArgument(`one of ${OUTCOMES.join(', ')} as the outcome of a job report`, outcome);
  return known;
}

function checkSummary(summary: unknown): string {
  if (typeof summary !== 'string') throw invalidArgument('a string as the summary of a job report', summary);
  return truncateText(summary, LIMITS.summary);
}

function checkMetrics(metrics: unknown): Readonly<Record<string, number>> {
  if (typeof metrics !== 'object' || metrics === null || Array.isArray(metrics)) {
    throw invalidArgument('an object of numbers as the metrics of a job report', metrics);
  }
  const entries = Object.entries(metrics);
  for (const [name, value] of entries) {
    checkText(name, 'the name of a metric', LIMITS.metricName);
    if (!Number.isFinite(value)) throw invalidArgument(`a finite number as the metric '${name}'`, value);
  }
  return Object.fromEntries(entries);
}

/** Returns log functions that pass each call as a line to `add`. A call whose arguments are invalid does not throw, so that it cannot fail the job. */
export function jobLog(add: (line: Omit<RunLine, 'at'>) => void): JobLog {
  const at =
    (level: RunLine['level']) =>
    (message: string, data?: unknown): void =>
      add({ level, message: lineText(message), data: jsonOf(data) });
  return Object.freeze({ debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') });
}

function lineText(message: unknown): string {
  return truncateText(typeof message === 'string' ? message : toError(message).message, LIMITS.logMessage);
}

function jsonOf(data: unknown): JsonValue {
  if (data === undefined) return null;
  try {
    const text = JSON.stringify(data, withErrors);
    if (text === undefined) return describeValue(data);
    return text.length > LIMITS.logData ? truncateText(text, LIMITS.logData) : (JSON.parse(text) as JsonValue);
  } catch (error) {
    return truncateText(`Not JSON: ${toError(error).message}`, LIMITS.logMessage);
  }
}

/** JSON replacer for bigints, which JSON cannot represent, and errors, which it would write as `{}`. */
function withErrors(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (isError(value)) return { name: value.name, message: value.message, stack: value.stack };
  return value;
}

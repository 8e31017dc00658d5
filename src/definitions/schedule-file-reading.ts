import type { z } from 'zod';
import type { EpochMs } from '../base/clock';
import { SchedulerError } from '../base/errors';
import { addAll } from '../base/lists';
import { nearestTimeZone } from '../base/nearest-name';
import { ConfigurationError, formatProblem, type Problem, type ProblemInput, problemAt } from '../config/problem';
import { checkDocument } from '../config/schema-problems';
import { dataDocument, type Path, pathText, quoted, type SourceDocument, valueAt } from '../config/source-document';
import { InvalidCalendarError } from '../domain/calendars/invalid-calendar-error';
import { CronSyntaxError } from '../domain/cron/cron-syntax-error';
import type { JsonValue } from '../domain/job-data';
import { formatKey, type JobKey, keyText, type TriggerKey } from '../domain/keys';
import type { Declarer } from '../domain/override';
import type { IfExists } from '../domain/schedule-change';

export interface ScheduleDefaults {
  /** Time zone of triggers and calendars, unless they or the file set one. */
  readonly timeZone: string;
  /** True if no time zone is configured, so that `timeZone` is the time zone of this process. */
  readonly timeZoneDefaulted?: boolean;
  /** Start time of triggers that set none: the current time. */
  readonly now: EpochMs;
}

export interface FileSettings {
  readonly timeZone: string;
  readonly timeZoneDefaulted: boolean;
  readonly ifExists: IfExists;
  /** Set that declares the entries. Null for single entries, which no set declares. */
  readonly declarer: Declarer | null;
}

export interface Item<Fields> {
  readonly path: Path;
  readonly fields: Fields;
}

/** State of reading one schedule file. Collects the problems of the whole file with their positions, so that one attempt reports all of them. */
export class ScheduleFileReading {
  readonly defaults: ScheduleDefaults;
  readonly #document: SourceDocument;
  readonly #problems: Problem[] = [];
  /** First use of each key, to report duplicates: its path, and its name in messages. */
  readonly #claimed = new Map<string, { readonly name: string; readonly path: Path }>();

  constructor(document: SourceDocument, defaults: ScheduleDefaults) {
    this.#document = document;
    this.defaults = defaults;
  }

  /** Adds a problem to the list that `finish` throws. */
  report(problem: ProblemInput): void {
    this.#problems.push(problemAt(this.#document, problem));
  }

  valueAt(path: Path): JsonValue | undefined {
    return valueAt(this.#document.data, path);
  }

  /** Returns the value at `path` if it matches the schema. Otherwise reports every mismatch and returns null. */
  check<Shape>(path: Path, schema: z.ZodType<Shape>): Shape | null {
    const checked = checkDocument(this.#document, schema, path);
    if (checked.ok) return checked.value;
    addAll(this.#problems, checked.problems);
    return null;
  }

  /** Like `check`, but returns null if there is no value at `path`. */
  checkGiven<Shape>(path: Path, schema: z.ZodType<Shape>): Shape | null {
    return this.valueAt(path) === undefined ? null : this.check(path, schema);
  }

  /** Like `check`, but reports and omits fields that do not match, so that the others can be checked. Returns null if an essential field fails. */
  checkEntry<Fields>(path: Path, schema: z.ZodType<Fields>): Fields | null {
    const known = this.#problems.length;
    const checked = this.check(path, schema);
    const value = this.valueAt(path);
    if (checked !== null || typeof value !== 'object' || value === null) return checked;
    const places = this.#problems.slice(known).map((problem) => problem.path);
    const faulty = Object.keys(value).filter((key) => {
      const place = pathText([...path, key]);
      return places.some((at) => at === place || at.startsWith(`${place}.`) || at.startsWith(`${place}[`));
    });
    if (places.includes(pathText(path)) || faulty.some((key) => ESSENTIAL.includes(key))) return null;
    const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !faulty.includes(key)));
    return schema.safeParse(rest).data ?? null;
  }

  /** Calls `read` and returns its result. If it throws a SchedulerError, reports a problem at `path` and returns null. */
  attempt<T>(path: Path, read: () => T): T | null {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SchedulerError)) throw error;
      this.report(problemOf(error, path, this.valueAt(path)));
      return null;
    }
  }

  /** Reports a problem if the file already contains this key. */
  claim(what: 'job' | 'trigger', key: JobKey | TriggerKey, path: Path): void {
    const claim = `${what}\u0000${keyText(key)}`;
    const first = this.#claimed.get(claim);
    if (first === undefined) {
      this.#claimed.set(claim, { name: `${what} ${formatKey(key)}`, path });
      return;
    }
    const line = this.#document.position(first.path)?.line;
    const place = line === undefined ? '' : ` (first on line ${line})`;
    this.report({ path, message: `expected each ${what} once, found ${quoted(formatKey(key))} again${place}` });
  }

  /** Adds the position in the file to a store error that names a job or trigger. The store knows keys, but no positions. */
  placed(refusal: SchedulerError): SchedulerError {
    const { code, message } = refusal;
    const pathOf = new Map([...this.#claimed.values()].map(({ name, path }) => [name, path]));
    const path = [...message.matchAll(/\b(job|trigger) '([^']*)'/gi)]
      .map(([, word = '', name]) => pathOf.get(`${word.toLowerCase() === 'job' ? 'job' : 'trigger'} ${name}`))
      .find((each) => each !== undefined);
    const document = path === undefined ? dataDocument(this.#document.file, null) : this.#document;
    const text = formatProblem(problemAt(document, { path: path ?? [], message }));
    return new SchedulerError(code, text, { cause: refusal });
  }

  /** Throws a ConfigurationError with every problem, if there are any. */
  finish(): void {
    if (this.#problems.length > 0) throw new ConfigurationError(this.#problems);
  }
}

/** Fields without which the rest of a job or trigger cannot be checked. */
const ESSENTIAL = ['cron', 'simple', 'calendarInterval', 'dailyTimeInterval', 'name', 'job', 'group'];

function problemOf(error: SchedulerError, path: Path, written: JsonValue | undefined): ProblemInput {
  if (error instanceof InvalidCalendarError) {
    return { path: [...path, ...error.path], expected: error.expected, found: error.found };
  }
  const { cause } = error;
  const fault = error instanceof CronSyntaxError ? error : cause instanceof CronSyntaxError ? cause : null;
  const isZone = error.code === 'UNKNOWN_TIME_ZONE' && typeof written === 'string';
  const message = error.message.replace(/^Expected /, 'expected ').replace(/\.$/, '');
  const offset = fault === null ? {} : { offset: fault.position };
  return { path, message, suggestion: isZone ? nearestTimeZone(written) : null, ...offset };
}

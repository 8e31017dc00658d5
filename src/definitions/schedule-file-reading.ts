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

/** What a schedule file leaves open. */
export interface ScheduleDefaults {
  /** Zone of triggers and calendars when neither they nor the file name one. */
  readonly timeZone: string;
  /** Nobody named that zone: it is the one of this process. */
  readonly timeZoneDefaulted?: boolean;
  /** Start time of triggers that name none. */
  readonly now: EpochMs;
}

/** The settings of a file that apply to all its entries. */
export interface FileSettings {
  readonly timeZone: string;
  readonly timeZoneDefaulted: boolean;
  readonly ifExists: IfExists;
  /** Who declares its entries; null: they are written alone, and not declared again at every start. */
  readonly declarer: Declarer | null;
}

/** One entry of a file and where it stands. */
export interface Item<Fields> {
  readonly path: Path;
  readonly fields: Fields;
}

/** One reading of a schedule file: collects every problem with its place, so that all are reported together. */
export class ScheduleFileReading {
  readonly defaults: ScheduleDefaults;
  readonly #document: SourceDocument;
  readonly #problems: Problem[] = [];
  /** Where each key was met first, and how messages name it. */
  readonly #claimed = new Map<string, { readonly name: string; readonly path: Path }>();

  constructor(document: SourceDocument, defaults: ScheduleDefaults) {
    this.#document = document;
    this.defaults = defaults;
  }

  /** Adds a problem. */
  report(problem: ProblemInput): void {
    this.#problems.push(problemAt(this.#document, problem));
  }

  /** What stands at `path`; undefined when nothing does. */
  valueAt(path: Path): JsonValue | undefined {
    return valueAt(this.#document.data, path);
  }

  /** What stands at `path`, if it has the shape; null, and every problem reported, otherwise. */
  check<Shape>(path: Path, schema: z.ZodType<Shape>): Shape | null {
    const checked = checkDocument(this.#document, schema, path);
    if (checked.ok) return checked.value;
    addAll(this.#problems, checked.problems);
    return null;
  }

  /**
   * As `check`, for a job or trigger: what is wrong in its shape is reported and left out, so that what is wrong with the
   * meaning of the rest is reported beside it. Null when what is left out, such as its schedule, says what the entry is.
   */
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

  /** What `read` returns; null, and a problem at `path`, when it throws a SchedulerError. */
  attempt<T>(path: Path, read: () => T): T | null {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SchedulerError)) throw error;
      this.report(problemOf(error, path, this.valueAt(path)));
      return null;
    }
  }

  /** Reports a key that the file has used before. */
  claim(what: 'job' | 'trigger', key: JobKey | TriggerKey, path: Path): void {
    const claim = `${what}\u0000${keyText(key)}`;
    const first = this.#claimed.get(claim);
    if (first === undefined) {
      this.#claimed.set(claim, { name: `${what} ${formatKey(key)}`, path });
      return;
    }
    const line = this.#document.position(first.path)?.line;
    const place = line === undefined ? '' : ` (first in line ${line})`;
    this.report({ path, message: `expected each ${what} once, found ${quoted(formatKey(key))} again${place}` });
  }

  /** An error of the store, which knows keys and no places, with the place of the job or trigger that it names. */
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

  /** Throws ConfigurationError with every problem, if there is one. */
  finish(): void {
    if (this.#problems.length > 0) throw new ConfigurationError(this.#problems);
  }
}

/** What a job or trigger is about: without it, nothing can be said of the rest. */
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

import type { JobUpgrade } from '../api/job-schema';
import { checkAgainstSchema, isJobSchema, type JobSchema } from '../api/job-schema';
import type { Job } from '../api/scheduler';
import { SchedulerError, toError } from '../base/errors';
import { checkJobData } from '../domain/check-job-data';
import { invalidArgument } from '../domain/check-text';
import { splitOwn, withoutVersion } from '../domain/data-version';
import type { JobData } from '../domain/job-data';

export interface JobDataRules {
  /** Schema of the data; null if any data is allowed. */
  readonly schema: JobSchema | null;
  /** Version of the data that the job's code expects. */
  readonly version: number;
  /** Upgrades data of an older version to `version`; null if the job type has no upgrade function. */
  readonly upgrade: JobUpgrade | null;
}

/** Rules of a job type that is not registered on this node or declares no rules. */
export const NO_RULES: JobDataRules = Object.freeze({ schema: null, version: 1, upgrade: null });

const MAX_VERSION = 1_000_000;

/** Reads the rules from a job object or class. Throws INVALID_ARGUMENT if a rule is invalid. */
export function rulesIn(type: string, job: Job): JobDataRules {
  const { schema, version, upgrade } = job as { readonly [Key in keyof JobDataRules]?: unknown };
  if (schema === undefined && version === undefined && upgrade === undefined) return NO_RULES;
  if (schema !== undefined && !isJobSchema(schema)) {
    const expected = `a Standard Schema (zod, valibot, arktype: standardschema.dev) as schema of job '${type}'`;
    throw invalidArgument(expected, schema);
  }
  const isVersion = Number.isInteger(version) && (version as number) >= 1 && (version as number) <= MAX_VERSION;
  if (version !== undefined && !isVersion) {
    throw invalidArgument(`a whole number from 1 to ${MAX_VERSION} as version of job '${type}'`, version);
  }
  if (upgrade !== undefined && typeof upgrade !== 'function') {
    throw invalidArgument(`a function as upgrade of job '${type}'`, upgrade);
  }
  return {
    schema: schema ?? null,
    version: (version as number | undefined) ?? 1,
    upgrade: upgrade === undefined ? null : (data, from) => (upgrade as JobUpgrade).call(job, data, from),
  };
}

/** Returns job data in the version the code expects. Rejects with INVALID_JOB_DATA for a later version, a failed upgrade or a schema mismatch. */
export async function currentData(
  { schema, version, upgrade }: JobDataRules,
  { found, stored }: { readonly found: JobData; readonly stored: number },
  owner: string,
): Promise<JobData> {
  const merged = withoutVersion(found);
  if (stored > version) {
    throw invalid(
      `The data of ${owner} has version ${stored} of its job type, but this node has version ${version}. ` +
        'Deploy the later version to this node.',
    );
  }
  const data = stored === version ? merged : await upgraded(merged, upgrade, { stored, version, owner });
  if (schema !== null) await checkAgainstSchema(schema, data, owner);
  return data;
}

async function upgraded(
  data: JobData,
  upgrade: JobUpgrade | null,
  { stored, version, owner }: { readonly stored: number; readonly version: number; readonly owner: string },
): Promise<JobData> {
  const step = `from version ${stored} to ${version}`;
  if (upgrade === null)
    throw invalid(`The data of ${owner} cannot be upgraded ${step}: its job type has no upgrade function.`);
  const { given, added } = splitOwn(data);
  try {
    const made = checkJobData(await upgrade(structuredClone(given), stored), owner, undefined, 'the result of upgrade');
    return Object.freeze({ ...made, ...added });
  } catch (thrown) {
    const cause = toError(thrown);
    throw invalid(`The data of ${owner} cannot be upgraded ${step}: ${cause.message}`, cause);
  }
}

function invalid(message: string, cause?: Error): SchedulerError {
  return new SchedulerError('INVALID_JOB_DATA', message, cause === undefined ? {} : { cause });
}

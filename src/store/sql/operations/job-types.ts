import type { NodeJobTypes } from '../../../domain/job-types';
import type { OverdueTrigger } from '../../cluster-store';
import { triggerKeyOf } from '../rows/rows';

/** In characters: a node with more types than that does not say which. */
const LONGEST_LIST = 60_000;

interface JobTypesRow {
  readonly INSTANCE_NAME: string;
  /** Null: a Java node. */
  readonly EPOCH: string | null;
  readonly JOB_TYPES: string | null;
}

interface OverdueRow {
  readonly TRIGGER_NAME: string;
  readonly TRIGGER_GROUP: string;
  readonly NEXT_FIRE_TIME: number;
  readonly JOB_CLASS_NAME: string;
}

/** The types of a node as its row holds them. */
export function encodeJobTypes(types: readonly string[]): string | null {
  const text = JSON.stringify(types);
  return text.length > LONGEST_LIST ? null : text;
}

export function toNodeJobTypes(rows: readonly JobTypesRow[]): readonly NodeJobTypes[] {
  return rows.map(({ INSTANCE_NAME, EPOCH, JOB_TYPES }) => ({
    instanceId: INSTANCE_NAME,
    isJava: EPOCH === null,
    jobTypes: JOB_TYPES === null ? null : decode(JOB_TYPES),
  }));
}

export function toOverdueTriggers(rows: readonly OverdueRow[]): readonly OverdueTrigger[] {
  return rows.map((row) => ({
    triggerKey: triggerKeyOf(row),
    jobType: row.JOB_CLASS_NAME,
    nextFireTime: row.NEXT_FIRE_TIME,
  }));
}

/** A list that is none says nothing. */
function decode(text: string): readonly string[] | null {
  try {
    const types: unknown = JSON.parse(text);
    return Array.isArray(types) && types.every((type) => typeof type === 'string') ? types : null;
  } catch {
    return null;
  }
}

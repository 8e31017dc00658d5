import { hasLabels, labelOfNode } from './placement';

/** The job types of one node, as it tells them. */
export interface NodeJobTypes {
  readonly instanceId: string;
  /** It is a Java node, which tells nothing. */
  readonly isJava: boolean;
  /** Null: it does not say. */
  readonly jobTypes: readonly string[] | null;
  /** Absent: its own alone. */
  readonly labels?: readonly string[];
}

/** A class in a package. Java's default package is not used for jobs, and a plain name is most likely one of ours. */
const JAVA_CLASS = /^[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)+$/u;

/** What a node must have to run a trigger. */
export interface NodeNeeds {
  readonly jobType: string;
  /** Labels; absent: none. */
  readonly runsOn?: readonly string[];
}

/** Whether a node can run it, as far as is known: one of ours that does not say may have any type, and a Java node any class. */
export function mayRun(
  { instanceId, isJava, jobTypes, labels }: NodeJobTypes,
  { jobType, runsOn = [] }: NodeNeeds,
): boolean {
  if (isJava) return JAVA_CLASS.test(jobType);
  const hasType = jobTypes === null || jobTypes.includes(jobType);
  return hasType && hasLabels(labels ?? [labelOfNode(instanceId)], runsOn);
}

/** Which of the types no node can run, as far as is known: nodes of ours that do not say may have any, and Java nodes any class. */
export function typesOfNobody(types: readonly string[], nodes: readonly NodeJobTypes[]): readonly string[] {
  return types.filter((jobType) => !nodes.some((node) => mayRun(node, { jobType })));
}

import { hasLabels, labelOfNode } from './placement';

/** Job types that one node reports. */
export interface NodeJobTypes {
  readonly instanceId: string;
  /** True for a Java node, which reports nothing. */
  readonly isJava: boolean;
  /** Reported job types; null if the node reports none. */
  readonly jobTypes: readonly string[] | null;
  /** Reported labels; absent if the node has only its own label. */
  readonly labels?: readonly string[];
}

/** A class in a package. Java's default package is not used for jobs, so a plain name is most likely a job type of a TypeScript node. */
const JAVA_CLASS = /^[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)+$/u;

/** Requirements of a trigger on the node that runs it. */
export interface NodeNeeds {
  readonly jobType: string;
  /** Labels that the node must have. Absent: none. */
  readonly runsOn?: readonly string[];
}

/** True if a node can run the job type, as far as is known. A TypeScript node that reports no types may have any type, and a Java node any class. */
export function mayRun(
  { instanceId, isJava, jobTypes, labels }: NodeJobTypes,
  { jobType, runsOn = [] }: NodeNeeds,
): boolean {
  if (isJava) return JAVA_CLASS.test(jobType);
  const hasType = jobTypes === null || jobTypes.includes(jobType);
  return hasType && hasLabels(labels ?? [labelOfNode(instanceId)], runsOn);
}

/** Returns the types that no node can run, as far as is known. TypeScript nodes that report no types may have any type, and Java nodes any class. */
export function typesOfNobody(types: readonly string[], nodes: readonly NodeJobTypes[]): readonly string[] {
  return types.filter((jobType) => !nodes.some((node) => mayRun(node, { jobType })));
}

import { hasLabels, labelOfNode } from './placement';

export interface NodeJobTypes {
  readonly instanceId: string;
  /** True for a Java node, which reports neither job types nor labels. */
  readonly isJava: boolean;
  /** Reported job types; null if the node reports none. */
  readonly jobTypes: readonly string[] | null;
  /** Reported labels; absent if the node has no label except its own `node:` label. */
  readonly labels?: readonly string[];
}

/** Java class name with a package. Other names are assumed to be TypeScript job types, because jobs are hardly ever in Java's default package. */
const JAVA_CLASS = /^[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)+$/u;

interface NodeNeeds {
  readonly jobType: string;
  /** Labels that the node must have; absent: none. */
  readonly runsOn?: readonly string[];
}

/** True if the node may run the job. A TypeScript node without reported types supports all types; a Java node supports class names with a package. */
export function mayRun(
  { instanceId, isJava, jobTypes, labels }: NodeJobTypes,
  { jobType, runsOn = [] }: NodeNeeds,
): boolean {
  if (isJava) return JAVA_CLASS.test(jobType);
  const hasType = jobTypes === null || jobTypes.includes(jobType);
  return hasType && hasLabels(labels ?? [labelOfNode(instanceId)], runsOn);
}

/** Returns the job types that no node can run, by the assumptions of `mayRun`. */
export function typesOfNobody(types: readonly string[], nodes: readonly NodeJobTypes[]): readonly string[] {
  return types.filter((jobType) => !nodes.some((node) => mayRun(node, { jobType })));
}

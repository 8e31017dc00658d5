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

/** Which of the types no node can run, as far as is known: nodes of ours that do not say may have any, and Java nodes any class. */
export function typesOfNobody(types: readonly string[], nodes: readonly NodeJobTypes[]): readonly string[] {
  if (nodes.some(({ isJava, jobTypes }) => !isJava && jobTypes === null)) return [];
  const known = new Set(nodes.flatMap(({ jobTypes }) => jobTypes ?? []));
  const hasJavaNode = nodes.some(({ isJava }) => isJava);
  return types.filter((type) => !known.has(type) && !(hasJavaNode && JAVA_CLASS.test(type)));
}

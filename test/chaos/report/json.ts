import { findingsOf, type RunReport } from '../play';

const MAX_EXAMPLES = 20;

/** Report for programs: every run with its figures and up to 20 examples of each kind of finding. */
export function toJson(reports: readonly RunReport[]): string {
  const runs = reports.map((report) => ({
    ...report,
    passed: findingsOf(report).length === 0,
    violations: Object.fromEntries(
      Object.entries(report.violations)
        .filter(([, found]) => found.length > 0)
        .map(([name, found]) => [name, { count: found.length, examples: found.slice(0, MAX_EXAMPLES) }]),
    ),
  }));
  return JSON.stringify(runs, null, 2);
}

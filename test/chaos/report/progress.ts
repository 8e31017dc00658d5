import { monotonic } from '../../cluster/support/monotonic.cjs';
import { findingsOf, type RunReport } from '../play';
import type { PlannedRun } from '../suite';

/** One line that changes on a terminal; elsewhere a line for each run that has ended. */
export interface Progress {
  begun(run: PlannedRun): void;
  ended(run: PlannedRun, report: RunReport): void;
  end(): void;
}

const nameOf = ({ scenario, options: { store, seed } }: PlannedRun) => `${scenario.name} on ${store}, seed ${seed}`;

export function showProgress(planned: number, stream: NodeJS.WriteStream = process.stderr): Progress {
  const going = new Map<PlannedRun, number>();
  let ended = 0;
  let found = 0;
  const line = () => {
    const runs = [...going].map(([run, since]) => `${nameOf(run)} (${Math.round((monotonic() - since) / 1_000)} s)`);
    return `${ended}/${Math.max(planned, ended + going.size)}, ${found} with findings: ${runs.join('; ')}`;
  };
  const draw = () => stream.isTTY && stream.write(`\r\u001b[K${line().slice(0, (stream.columns ?? 120) - 1)}`);
  const timer = setInterval(draw, 1_000);
  return {
    begun(run) {
      going.set(run, monotonic());
      draw();
    },
    ended(run, report) {
      going.delete(run);
      ended += 1;
      const findings = findingsOf(report);
      if (findings.length > 0) found += 1;
      if (stream.isTTY) stream.write('\r\u001b[K');
      const verdict =
        findings.length === 0 ? 'passed' : `FOUND ${findings.map((each) => each.slice(0, 300)).join(' | ')}`;
      stream.write(`${nameOf(run)}: ${verdict}\n`);
    },
    end() {
      clearInterval(timer);
      if (stream.isTTY) stream.write('\r\u001b[K');
    },
  };
}

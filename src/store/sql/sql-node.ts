import type { Clock } from '../../base/clock';
import type { JobDataForm } from './row-formats/job-data';
import type { SetAside } from './set-aside';

/**
 * A row that this node cannot read, data that its row cannot hold, or a change that the database refuses: only that is left
 * out, everything else goes on.
 */
export interface RowProblem {
  readonly what: 'trigger' | 'job' | 'calendar';
  /** Default `reading`. */
  readonly doing?: 'firing' | 'giving back' | 'completing' | 'recovering the misfire of';
  /** As Quartz prints keys. */
  readonly name: string;
  readonly error: Error;
}

/** The life that a node of a cluster lives; no reservation is made in one that has ended. Null: it has not joined yet. */
export interface NodeLife {
  epoch: string | null;
  /** What the node can run, as its row holds it; null: it has not said. */
  jobTypes: string | null;
}

/** Who works on the tables: what every operation must know beyond its request. */
export interface SqlNode {
  readonly schedName: string;
  readonly instanceId: string;
  readonly newFireInstanceId: () => string;
  /** Set by joining the cluster. Without it, nobody may recover what the node has reserved. */
  readonly life?: NodeLife;
  /** Of triggers whose row names none: those that Java wrote. Equal on all nodes. */
  readonly timeZone: string;
  /** In which job data of new rows is kept: `properties` with `useProperties`. */
  readonly newDataForm: Extract<JobDataForm, 'json' | 'properties'>;
  readonly clock: Clock;
  /** What the database refuses to change. */
  readonly setAside: SetAside;
  /** Hears of every such row, each time it is met. */
  readonly onRowProblem: (row: RowProblem) => void;
}

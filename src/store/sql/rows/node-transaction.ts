import type { SqlParams, SqlTransaction } from '../runtime/sql-driver';
import type { StatementName } from '../runtime/statement-names';
import type { CommitResolution, LockName, RunOptions, Transactions } from '../runtime/transactions';
import { inPresentIncarnation, type SqlNode } from './sql-node';

/** Source of a node's rows: a transaction, or a driver that runs single statements. */
export interface NodeReader extends Pick<SqlTransaction, 'all'> {
  readonly node: SqlNode;
}

/** A transaction with the node that runs it. */
export interface NodeTransaction extends SqlTransaction {
  readonly node: SqlNode;
}

export type NodeWork<T> = (tx: NodeTransaction) => Promise<T>;

export interface NodeRunOptions<T> extends Omit<RunOptions<T>, 'resolveUnknown'> {
  /** See `RunOptions.resolveUnknown`. */
  readonly resolveUnknown?: (tx: NodeTransaction, result: T) => Promise<CommitResolution<T>>;
}

/** Returns the transaction with the node on which its work runs. */
export function withNode(tx: SqlTransaction, node: SqlNode): NodeTransaction {
  return {
    node,
    maxSetBytes: tx.maxSetBytes,
    get hasWritten() {
      return tx.hasWritten;
    },
    all: (statement, params) => tx.all(statement, params),
    run: (statement, params, rows) => tx.run(statement, params, rows),
  };
}

/** Transactions of one node. Also reads single statements, outside of a transaction. */
export class NodeTransactions implements NodeReader {
  /** Transactions without the node, for connections, locks and scripts. */
  readonly plain: Transactions;
  readonly node: SqlNode;

  constructor(plain: Transactions, node: SqlNode) {
    this.plain = plain;
    this.node = node;
  }

  inPresentIncarnation(): NodeTransactions {
    return new NodeTransactions(this.plain, inPresentIncarnation(this.node));
  }

  /** See `Transactions.run`. */
  run<T>(
    locks: LockName | readonly LockName[] | null,
    work: NodeWork<T>,
    { resolveUnknown, ...options }: NodeRunOptions<T> = {},
  ): Promise<T> {
    const { node } = this;
    return this.plain.run(locks, (tx) => work(withNode(tx, node)), {
      ...options,
      ...(resolveUnknown && { resolveUnknown: (tx, result) => resolveUnknown(withNode(tx, node), result) }),
    });
  }

  /** See `Transactions.read`. */
  read<T>(work: NodeWork<T>): Promise<T> {
    return this.plain.read((tx) => work(withNode(tx, this.node)));
  }

  all<Row>(statement: StatementName, params?: SqlParams): Promise<Row[]> {
    return this.plain.all(statement, params);
  }
}

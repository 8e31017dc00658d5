import { assertNotWithinTransaction } from '../../store/job-transaction';
import { forwarder, invoke } from '../../store/thread/connection';

/** Methods of stores that write nothing. Readers of a SQLite file wait for no writer. */
const READS = /^(get|list|read|page|find|plan|query|next|newest|watch|changedElsewhere)/;

/** Returns a store that refuses writes inside of a job's transaction on the same SQLite file, where they would wait for the job itself. */
export function withWritesOutsideTransactions<Store extends object>(store: Store, url: string | undefined): Store {
  if (url === undefined || !url.startsWith('sqlite:')) return store;
  const own = 'description' in store ? { description: store.description } : {};
  return forwarder<Store>(
    async (method, args) => {
      if (!READS.test(method)) assertNotWithinTransaction('this call', url);
      return invoke(store, method, args);
    },
    own as Partial<Store>,
  );
}

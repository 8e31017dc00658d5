import { configurationEntries } from './configuration/entries';
import { configurationProofs } from './configuration/proofs';
import { errorEntries, errorProofs } from './errors/proofs';
import { clusterEventProofs } from './events/cluster';
import { oneNodeProofs } from './events/one-node';
import { eventEntries } from './events/told';
import { allOf, isOnServer, type Proofs } from './support/proof';
import { closeAll, deleteFolders } from './support/world';

/** What each page of the reference promises, and the proofs that it is so. */
const PAGES: readonly (readonly [string, readonly string[], Proofs])[] = [
  ['configuration.md', configurationEntries(), configurationProofs],
  ['errors.md', errorEntries(), errorProofs],
  ['events.md', eventEntries(), allOf(oneNodeProofs, clusterEventProofs)],
];

afterEach(closeAll);
afterAll(deleteFolders);

describe.each(PAGES)('docs/reference/%s', (_, entries, proofs) => {
  it('names each thing once, and nothing is proved that it does not name', () => {
    expect(entries.length).toBeGreaterThan(10);
    expect(entries.filter((entry, index) => entries.indexOf(entry) !== index)).toEqual([]);
    expect(Object.keys(proofs).filter((entry) => !entries.includes(entry))).toEqual([]);
  });

  for (const entry of entries) {
    const proof = Object.hasOwn(proofs, entry) ? proofs[entry] : undefined;
    const prove = isOnServer(proof) && process.env.TEST_MYSQL === 'skip' ? it.skip : it;
    prove(entry, async () => {
      if (proof === undefined)
        throw new Error(`Nothing proves that '${entry}' has an effect: write a proof, or document it no more.`);
      expect.hasAssertions();
      await proof();
    });
  }
});

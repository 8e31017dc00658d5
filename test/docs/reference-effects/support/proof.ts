/** Shows that one entry of the reference has the effect that it is said to have: fails when it has none. */
export type Proof = () => Promise<void> | void;

/** Proofs by what they prove, as the reference calls it. */
export type Proofs = Readonly<Record<string, Proof>>;

/** Entries whose proofs need a MySQL or MariaDB server. */
const onServer = new WeakSet<Proof>();

/** The same proof; it is left out where there is no server, as every test that needs one. */
export function needsServer(proof: Proof): Proof {
  onServer.add(proof);
  return proof;
}

export const isOnServer = (proof: Proof | undefined): boolean => proof !== undefined && onServer.has(proof);

/** What is worked out once for several proofs. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null;
  return () => {
    result ??= work();
    return result;
  };
}

/** Proofs of several subjects together. Throws when two prove the same. */
export function allOf(...parts: readonly Proofs[]): Proofs {
  const all: Record<string, Proof> = {};
  for (const part of parts) {
    for (const [entry, proof] of Object.entries(part)) {
      if (Object.hasOwn(all, entry)) throw new Error(`'${entry}' is proved twice.`);
      all[entry] = proof;
    }
  }
  return all;
}

type Play = () => Promise<void>;

/** Registers tests that mostly wait, by name. All begin at once, so that they take only the time of the longest. Each fails separately. */
export function itTogether(plays: Readonly<Record<string, Play>>, timeout: number): void {
  const ended = new Map<string, Promise<readonly unknown[]>>();

  beforeAll(() => {
    for (const [name, play] of Object.entries(plays)) {
      const errors = play().then(
        () => [],
        (error: unknown) => [error],
      );
      ended.set(name, errors);
    }
  });

  // Tests that a filter excludes have begun too.
  afterAll(() => Promise.all(ended.values()), timeout);

  it.each(Object.keys(plays))(
    '%s',
    async (name) => {
      for (const error of (await ended.get(name)) ?? []) throw error;
    },
    timeout,
  );
}

type Play = () => Promise<void>;

/** Tests that mostly wait, by their names: all begin at once, so that their waits take the time of the longest. Each fails by itself. */
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

  // What a filter leaves out has begun, too.
  afterAll(() => Promise.all(ended.values()), timeout);

  it.each(Object.keys(plays))(
    '%s',
    async (name) => {
      for (const error of (await ended.get(name)) ?? []) throw error;
    },
    timeout,
  );
}

import fc from 'fast-check';
import {
  compareClocks,
  detectionTime,
  hasLeft,
  hasStoodStill,
  isClockUnsafe,
  isSilent,
  JAVA_CHECK_IN_GRACE_MS,
  leaseTerm,
  type Observation,
  observe,
  paceAmongPeers,
  takeoverDelayMs,
} from '../../../src/domain/liveness';

const PACE = { checkInInterval: 1_000, checkInGrace: 2_000 };

describe('the clock difference between a node and the store beside Java nodes', () => {
  it('is measured at the middle of the round trip, with half of the round trip as its error', () => {
    expect(compareClocks(50_000, 10_010, { startedAt: 0, endedAt: 20 })).toEqual({ offset: 40_000, error: 10 });
  });

  it.each([
    { offset: 3_000, error: 0, isUnsafe: false },
    { offset: 3_001, error: 0, isUnsafe: true },
    { offset: -3_001, error: 0, isUnsafe: true },
    { offset: 3_500, error: 499, isUnsafe: true },
    { offset: 2_500, error: 500, isUnsafe: false },
  ])('is safe or unsafe at $offset ms with an error of $error ms, whatever was measured before', ({
    isUnsafe,
    ...comparison
  }) => {
    expect(isClockUnsafe(true, comparison)).toBe(isUnsafe);
    expect(isClockUnsafe(false, comparison)).toBe(isUnsafe);
  });

  it.each([
    { offset: 3_500, error: 500 },
    { offset: 2_500, error: 501 },
  ])('is inconclusive at $offset ms with an error of $error ms, and keeps the previous result', (comparison) => {
    expect(isClockUnsafe(true, comparison)).toBe(true);
    expect(isClockUnsafe(false, comparison)).toBe(false);
  });
});

describe('liveness', () => {
  it('depends on the check-in interval or the silence of the observer, whichever is longer, plus the grace', () => {
    const peer = { ...PACE, lastCheckInTime: 10_000 };
    expect(isSilent(peer, { now: 13_000, ownLastCheckInTime: 13_000 })).toBe(false);
    expect(isSilent(peer, { now: 13_001, ownLastCheckInTime: 13_001 })).toBe(true);
    expect(isSilent(peer, { now: 20_000, ownLastCheckInTime: 12_000 })).toBe(false);
    expect(isSilent(peer, { now: 20_001, ownLastCheckInTime: 12_002 })).toBe(true);
  });

  it('treats a deleted row as a shutdown before the detection time has passed', () => {
    const row = { ...PACE, lastCheckInTime: 10_000 };
    expect(hasLeft(row, 13_000)).toBe(true);
    expect(hasLeft(row, 13_001)).toBe(false);
  });

  it('ends a lease before any other node may take over, for every check-in pace', () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(100_000), fc.nat(1_000_000), (checkInInterval, checkInGrace, startedAt) => {
        const pace = { checkInInterval, checkInGrace };
        const { firingUntil, heldUntil } = leaseTerm(startedAt, pace);
        expect(firingUntil).toBeLessThanOrEqual(heldUntil);
        expect(heldUntil).toBeLessThanOrEqual(startedAt + detectionTime(pace));
        expect(startedAt + takeoverDelayMs(pace)).toBeGreaterThanOrEqual(heldUntil);
      }),
    );
  });

  it('limits the grace to that of Java while a Java node is in the cluster', () => {
    expect(paceAmongPeers({ ...PACE, checkInGrace: 60_000 }, true).checkInGrace).toBe(JAVA_CHECK_IN_GRACE_MS);
    expect(paceAmongPeers(PACE, true)).toEqual(PACE);
    expect(paceAmongPeers({ ...PACE, checkInGrace: 60_000 }, false).checkInGrace).toBe(60_000);
  });
});

describe('an observation of a silent node', () => {
  const look = (previous: Observation | undefined, at: number, lastCheckInTime = 5) =>
    observe(previous, { lastCheckInTime }, { startedAt: at, endedAt: at + 10 }, 1_000);

  const looks = (...times: readonly number[]) =>
    times.reduce<Observation | undefined>((previous, at) => look(previous, at), undefined) as Observation;

  it('counts only the time from the end of the first read to the start of the last', () => {
    expect(hasStoodStill(looks(0, 900, 1_800, 2_700, 3_009), PACE)).toBe(false);
    expect(hasStoodStill(looks(0, 900, 1_800, 2_700, 3_010), PACE)).toBe(true);
  });

  it('restarts when the check-in time of the row advances', () => {
    const moved = look(looks(0, 900, 1_800, 2_700), 3_600, 6);
    expect(moved).toEqual({ lastCheckInTime: 6, since: 3_610, seenAt: 3_600, reads: 1 });
  });

  it('restarts when the check-in time of the row moves back', () => {
    expect(look(looks(0, 900), 1_800, 4).reads).toBe(1);
  });

  it('restarts after a gap between two reads', () => {
    expect(looks(0, 1_000).reads).toBe(2);
    expect(looks(0, 1_001).reads).toBe(1);
  });

  it('needs three reads, however far apart they are', () => {
    const [first, second] = [
      { startedAt: 0, endedAt: 0 },
      { startedAt: 9_000, endedAt: 9_000 },
    ];
    const twice = observe(
      observe(undefined, { lastCheckInTime: 5 }, first, 60_000),
      { lastCheckInTime: 5 },
      second,
      60_000,
    );
    expect(hasStoodStill(twice, PACE)).toBe(false);
    const third = { startedAt: 9_001, endedAt: 9_001 };
    expect(hasStoodStill(observe(twice, { lastCheckInTime: 5 }, third, 60_000), PACE)).toBe(true);
  });
});

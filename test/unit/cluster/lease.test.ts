import { ManualClock } from '../../../src/base/manual-clock';
import { Lease, type LeaseState } from '../../../src/cluster/lease';

const PACE = { checkInInterval: 1_000, checkInGrace: 1_000 };

function leaseAt(clock: ManualClock): { readonly lease: Lease; readonly told: LeaseState[] } {
  const told: LeaseState[] = [];
  return { lease: new Lease(clock, (state) => told.push(state)), told };
}

describe('a lease', () => {
  it('reports its end if a renewal comes before the watch has noticed it', () => {
    const clock = new ManualClock(1_000_000);
    const { lease, told } = leaseAt(clock);
    lease.renew(clock.monotonic(), PACE);
    clock.advanceBy(5_000); // the process is suspended, so the watch does not run
    lease.renew(clock.monotonic(), PACE);
    expect(told).toEqual(['firing', 'lost', 'firing']);
  });

  it('ends earlier by the time for which the machine was suspended', () => {
    const clock = new ManualClock(1_000_000);
    let suspended = 7;
    const lease = new Lease(
      clock,
      () => {},
      () => suspended,
    );
    lease.renew(clock.monotonic(), PACE); // detection takes 2 s: the node may fire for 1.4 s and holds the lease for 1.6 s
    suspended += 1_000;
    lease.subtractSuspension();
    clock.advanceBy(399);
    expect(lease.state).toBe('firing');
    clock.advanceBy(2);
    expect(lease.state).toBe('held');
    clock.advanceBy(200);
    expect(lease.state).toBe('lost');
  });

  it('reports nothing if it is renewed in time', () => {
    const clock = new ManualClock(1_000_000);
    const { lease, told } = leaseAt(clock);
    for (let beat = 0; beat < 5; beat++) {
      lease.renew(clock.monotonic(), PACE);
      clock.advanceBy(300);
    }
    expect(told).toEqual(['firing']);
  });
});

import type { FiringOffer } from '../store/job-store';

interface OpenOffer {
  readonly ended: Promise<void>;
  readonly end: () => void;
}

/** The workers that changes of the schedule were offered, each until its offer ends. */
export class FiringOffers {
  readonly #open = new Map<FiringOffer, OpenOffer>();
  #workers = 0;

  /** How many are offered now. */
  get workers(): number {
    return this.#workers;
  }

  begin(offer: FiringOffer): void {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#open.set(offer, { ended, end });
    this.#workers += offer.maxCount;
  }

  /** An offer ends once. */
  end(offer: FiringOffer): void {
    const open = this.#open.get(offer);
    if (open === undefined) return;
    this.#open.delete(offer);
    this.#workers -= offer.maxCount;
    open.end();
  }

  /** Resolves when one more has ended; at once when none is open. */
  async whenOneEnds(): Promise<void> {
    if (this.#open.size > 0) await Promise.race(this.#ends());
  }

  /** Resolves when all that are open now have ended: others may begin without end. */
  async whenTheseEnd(): Promise<void> {
    await Promise.all(this.#ends());
  }

  #ends(): readonly Promise<void>[] {
    return [...this.#open.values()].map(({ ended }) => ended);
  }
}

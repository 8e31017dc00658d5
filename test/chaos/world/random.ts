import { seededDraw } from '../../cluster/support/chaos-settings';

/** Random choices that are reproducible by their seed. */
export interface Random {
  /** A number from 0 to below 1. */
  share(): number;
  /** An integer, including both bounds. */
  between(least: number, most: number): number;
  pick<T>(list: readonly T[]): T;
}

export function seededRandom(seed: number): Random {
  const draw = seededDraw(Math.imul(seed, 0x9e3779b1) + 1);
  return {
    share: () => draw(2 ** 24) / 2 ** 24,
    between: (least, most) => least + draw(most - least + 1),
    pick: <T>(list: readonly T[]) => list[draw(list.length)] as T,
  };
}

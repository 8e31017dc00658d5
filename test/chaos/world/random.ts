import { seededDraw } from '../../cluster/support/chaos-settings';

/** Choices that repeat with their seed. */
export interface Random {
  /** From 0 to below 1. */
  share(): number;
  /** A whole number, both ends included. */
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

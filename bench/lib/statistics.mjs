/** The value below which `fraction` of the numbers lie. */
export function percentile(numbers, fraction) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))];
}

export function median(numbers) {
  return percentile(numbers, 0.5);
}

/** Median with the smallest and largest value: what every figure of the README is. */
export function summary(numbers) {
  return { median: median(numbers), min: Math.min(...numbers), max: Math.max(...numbers), rounds: numbers.length };
}

/** `1,234 (1,200–1,300)`. */
export function formatSummary({ median: middle, min, max }, digits = 0) {
  return `${formatNumber(middle, digits)} (${formatNumber(min, digits)}–${formatNumber(max, digits)})`;
}

export function formatNumber(value, digits = 0) {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** True for `npm run test:long`, which runs the long forms of suites with many variants. */
export const IS_LONG = process.env.LONG_FORMS !== undefined;

/** Number of runs of a property test; a fifth of it in the short form. */
export const runsOf = (count: number) => (IS_LONG ? count : Math.ceil(count / 5));

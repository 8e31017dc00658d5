/** True for `npm run test:long`, which runs the long forms of the suites that try one thing in many ways. */
export const IS_LONG = process.env.LONG_FORMS !== undefined;

/** Runs of a property test; a fifth of them in the short form. */
export const runsOf = (count: number) => (IS_LONG ? count : Math.ceil(count / 5));

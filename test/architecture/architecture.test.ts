/* The rules are one test file, because they share one parsed program, which takes seconds to parse. */
import './rules/code';
import './rules/exports';
import './rules/layers';
import './rules/sizes';
import './rules/spreads';
import './rules/sql';
import './rules/states';
import './rules/words';

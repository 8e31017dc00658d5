/* One file of tests: all of them read the same program, which takes seconds to parse. */
import './rules/code';
import './rules/exports';
import './rules/layers';
import './rules/sizes';
import './rules/spreads';
import './rules/sql';
import './rules/states';
import './rules/words';

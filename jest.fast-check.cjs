// fast-check for tests: where SEED is set, properties begin from it, as the other searches do. A path, because its name leads here.
const fastCheck = require('./node_modules/fast-check/lib/cjs/fast-check.js');
const { SEED } = process.env;
if (SEED) fastCheck.configureGlobal({ seed: Number(SEED) });
module.exports = fastCheck;

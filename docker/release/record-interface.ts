// `npx nx record-interface docker --release=VERSION`: records what users of this version depend on, in docker/release/interfaces. docker/release/prepare
// runs it. docker/test/compatibility.test.ts holds what comes after to the newest record.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { workspaceRoot } from '@workspace/testing';
import { currentInterface } from '../test/interface.ts';

const { release } = parseArgs({ options: { release: { type: 'string' } } }).values;
if (!release) throw new Error('--release=VERSION is missing');
const file = `docker/release/interfaces/${release}.json`;
writeFileSync(join(workspaceRoot, file), `${JSON.stringify(currentInterface(), null, 2)}\n`);
console.log(file);

// `npx nx record-interface docker`: records what users of this version depend on, in docker/release/interfaces. Run it for each
// release. docker/test/compatibility.test.ts holds what comes after to the newest record.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';
import { read } from '../test/files.ts';
import { currentInterface } from '../test/interface.ts';

const { version } = JSON.parse(read('apps/ops-intake/package.json')) as { version: string };
const file = `docker/release/interfaces/${version}.json`;
writeFileSync(join(workspaceRoot, file), `${JSON.stringify(currentInterface(), null, 2)}\n`);
console.log(file);

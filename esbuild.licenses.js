import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
const FILE = 'bundled-licenses.txt';

const mit = (holder) =>
  `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files
(the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge,
publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do
so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE
FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
/** The licence of the workspace itself. */
const apache = () => readFileSync(join(root, 'LICENSE'), 'utf8').trim();
const redis = () => mit('2022-2025, Redis, inc.');

/** Packages that name their licence in package.json only: what their repositories say. */
const WITHOUT_A_FILE = {
  'abstract-logging': () => mit('James Sumners'),
  'xz-decompress': () =>
    `${mit('Steve Sanderson, Tim Perry')}\n\nIt contains XZ Embedded by Lasse Collin and Igor Pavlov, which is in the public domain.`,
  redis,
  '@redis/bloom': redis,
  '@redis/client': redis,
  '@redis/json': redis,
  '@redis/search': redis,
  '@redis/time-series': redis,
  'pg-types': () => mit('2014 Brian M. Carlson'),
  pgpass: () => mit('2013-2016 Hannes Hörl'),
  '@aws-sdk/credential-provider-http': apache,
  '@aws-sdk/credential-provider-login': apache,
  '@aws-sdk/nested-clients': apache,
};

/**
 * The licences of packages, each under a line `name version, SPDX id`.
 * @param {Iterable<string>} folders of the packages
 * @throws names the packages without a licence text
 */
export const licenceTexts = (folders) => {
  const missing = [];
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const files = readdirSync(folder).filter((file) => /licen[cs]e|^copying|^notice/i.test(file));
    const found = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
    if (found.length === 0 && WITHOUT_A_FILE[name]) found.push(WITHOUT_A_FILE[name]());
    if (found.length === 0 || !license) missing.push(`${name} ${version}`);
    return [`${name} ${version}, ${license}`, ...found].join('\n\n');
  });
  if (missing.length > 0) {
    throw new Error(`no licence text for ${missing.join(', ')}: see WITHOUT_A_FILE in esbuild.licenses.js`);
  }
  return `${texts.join(`\n\n${'-'.repeat(72)}\n\n`)}\n`;
};

/**
 * Writes the licences of all packages whose code or data a build contains beside it, in bundled-licenses.txt.
 * @param {readonly string[]} others packages that the build contains without importing them
 * @returns {import('esbuild').Plugin}
 */
export const bundledLicences = (others = []) => ({
  name: 'bundled-licences',
  setup: (build) => {
    const { absWorkingDir = root, outfile, outdir = dirname(outfile) } = build.initialOptions;
    build.initialOptions.metafile = true;
    build.onEnd(({ metafile, errors }) => {
      if (errors.length > 0) return;
      const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
      const bundled = inputs.flatMap(
        (input) => /^(.*\bnode_modules\/(@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? [],
      );
      const folders = [...bundled, ...others.map((name) => `node_modules/${name}`)];
      const texts = licenceTexts(folders.map((folder) => join(absWorkingDir, folder)));
      writeFileSync(join(absWorkingDir, outdir, FILE), texts);
    });
  },
});

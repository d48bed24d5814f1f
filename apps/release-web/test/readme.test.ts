import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commonProblems } from '@workspace/service-kit';
import { environmentRows, readmeTable, problemRows } from '@workspace/service-kit/testing';
import { Config } from '../src/config.ts';
import { problems } from '../src/problems.ts';
import { testService } from './service.ts';

const README = join(__dirname, '../README.md');

/** Each `curl` of the README's console blocks with the lines below it. */
const examples = [...readFileSync(README, 'utf8').matchAll(/```console\n([\s\S]*?)```/g)].flatMap(
  ([, block]) =>
    block!
      .split(/^\$ /m)
      .slice(1)
      .map((example) => {
        const [command = '', ...answer] = example.trimEnd().split('\n');
        return { command, answer: answer.join('\n') };
      }),
);

describe('the README', () => {
  it('has the environment of the schema', () => {
    expect(readmeTable(README, 'Environment')).toEqual(environmentRows(Config));
  });

  it('has the problems of the catalogue', () => {
    expect(readmeTable(README, 'Errors')).toEqual(problemRows(problems, commonProblems));
  });

  it('has examples', () => {
    expect(examples.length).toBeGreaterThanOrEqual(6);
  });

  it.each(examples)('shows what $command answers', async ({ command, answer }) => {
    const path = /^curl -s '?localhost:3001([^']*)'?$/.exec(command)?.[1];
    const service = await testService({ PUBLIC_BASE_URL: 'http://localhost:3001' });
    const { body } = await service.app.inject(path!);
    await service.app.close();
    const shown = answer.replace('24.21.0', process.versions.node);
    if (shown.endsWith('…')) expect(body.slice(0, shown.length - 1)).toBe(shown.slice(0, -1));
    else expect(body).toBe(shown);
  });
});

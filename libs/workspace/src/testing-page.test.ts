import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';

const read = (file: string): string => readFileSync(join(workspaceRoot, file), 'utf8');

it('.github/TESTING.md says what every target of Nx is for, and lists no other', () => {
  const projects = globSync(['{apps,libs}/*/project.json', 'docker/{,*/}project.json'], {
    cwd: workspaceRoot,
  });
  const targets = projects.flatMap((file) =>
    Object.keys((JSON.parse(read(file)) as { targets: object }).targets),
  );
  expect(projects.length).toBeGreaterThan(15);
  const listed = [...read('.github/TESTING.md').matchAll(/^- (`[a-z][\w-]*`.*?): \S/gm)].flatMap(
    ([, names]) => [...names!.matchAll(/`([\w-]+)`/g)].map(([, target]) => target),
  );
  expect(listed.toSorted()).toEqual([...new Set(targets)].toSorted());
});

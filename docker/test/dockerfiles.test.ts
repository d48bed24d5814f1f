import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { type App, APPS, read } from './files.ts';

const PORTS: Record<App, string> = { 'release-web': '3001', 'ops-intake': '3000', 'ip-locate': '3002' };
const dockerfile = (app: App) => read(`apps/${app}/Dockerfile`);

/** A Dockerfile without what only it may have: the instruction under each "Only here" comment; its name and port hidden. */
const common = (app: App): string => {
  const text = dockerfile(app).replaceAll(app, '<app>').replaceAll(PORTS[app], '<port>');
  const lines = text.split('\n');
  const declared = lines.flatMap((line, at) => (line.startsWith('# Only here:') ? [at, at + 1] : []));
  return lines.filter((_line, at) => !declared.includes(at)).join('\n');
};

describe('the three Dockerfiles', () => {
  it.each(APPS)('of %s has not drifted from the others', (app) => {
    expect(common(app)).toBe(common('release-web'));
  });

  it('notices a difference that is not declared', () => {
    expect(common('ip-locate')).toContain('npm sbom');
    expect(dockerfile('ip-locate')).toContain('BUNDLED_DATA');
    expect(common('ip-locate')).not.toContain('ARG BUNDLED_DATA');
  });

  it.each(APPS)('of %s passes the linter', (app) => {
    const messages = validate(dockerfile(app)).map(
      ({ range, message }) => `${range.start.line + 1}: ${message}`,
    );
    expect(messages).toEqual([]);
  });

  it.each(APPS)('of %s can be built for another platform without emulating it', (app) => {
    const stages = dockerfile(app)
      .split(/^FROM /m)
      .slice(1);
    // The build stage runs on the builder's platform; the stages of the target platform run nothing.
    expect(stages.map((stage) => /^--platform=\$BUILDPLATFORM /.test(stage))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    for (const stage of stages.slice(2)) expect(stage).not.toMatch(/^RUN /m);
  });

  it.each(APPS)('of %s copies what it names, never the whole folder, and fetches nothing itself', (app) => {
    const parsed = DockerfileParser.parse(dockerfile(app));
    const fromContext = parsed.getCOPYs().filter((copy) => copy.getFlags().length === 0);
    for (const copy of fromContext) {
      expect(copy.getArguments().map(String).slice(0, -1)).not.toContain('.');
    }
    expect(parsed.getInstructions().map((instruction) => instruction.getKeyword())).not.toContain('ADD');
    expect(dockerfile(app)).not.toMatch(/curl|wget|apt-get|:latest/);
  });

  it('keep what no build needs out of the context', () => {
    expect(read('.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['.git', 'node_modules', 'dist', '.nx', '.cache', 'tmp']),
    );
  });
});

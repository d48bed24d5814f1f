import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith, workspaceRoot } from '@workspace/testing';
import type { FirstStartStep } from './first-start.ts';
import { jarsFolder, kafkaJars } from './jars.ts';

const pom = (version: string): string => `<properties><kafka.version>${version}</kafka.version></properties>`;

describe('jarsFolder', () => {
  it('is in the cache of the user, named after version and content of the pom', () => {
    const folder = jarsFolder(pom('4.3.1'), { XDG_CACHE_HOME: '/cache' });
    expect(folder).toMatch(/^\/cache\/three-services\/kafka-4\.3\.1-[0-9a-f]{12}$/);
    expect(jarsFolder(pom('4.3.1'), { XDG_CACHE_HOME: '/cache' })).toBe(folder);
    expect(jarsFolder(`${pom('4.3.1')} `, { XDG_CACHE_HOME: '/cache' })).not.toBe(folder);
  });

  it('falls back to ~/.cache', () => {
    expect(jarsFolder(pom('4.3.1'), {})).toMatch(/\/\.cache\/three-services\//);
  });

  it('rejects a pom without a version', () => {
    expect(() => jarsFolder('<project/>', {})).toThrow('does not name kafka.version');
  });
});

describeWith(['java', 'mvn'], 'mavenInstalled', () => {
  const folder = mkdtempSync(join(tmpdir(), 'größer-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('finds Maven from a folder whose path is not ASCII, in the locale C', () => {
    const jars = JSON.stringify(join(import.meta.dirname, 'jars.ts'));
    const program = `import(${jars}).then(({ mavenInstalled }) => process.stdout.write(String(mavenInstalled())))`;
    const tsx = createRequire(import.meta.url).resolve('tsx');
    const { stdout } = spawnSync(process.execPath, ['--import', tsx, '-e', program], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        LC_ALL: 'C',
        TSX_TSCONFIG_PATH: join(workspaceRoot, 'libs/kafka-broker/tsconfig.json'),
      },
    });
    expect(stdout).toBe('true');
  });
});

describe('kafkaJars', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kafka-jars-'));
  const digests = join(folder, 'jars.sha256');
  const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
  writeFileSync(digests, `${sha256('a')}  a.jar\n${sha256('b')}  b.jar\n`);
  const before = { ...process.env };
  beforeEach(() => {
    process.env['XDG_CACHE_HOME'] = mkdtempSync(join(folder, 'cache-'));
    process.env['PATH'] = `${folder}:${before['PATH']}`;
  });
  afterEach(() => {
    process.env = { ...before };
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A Maven that ends when the file `go` is there. */
  const maven = (then: string): void => {
    const file = 'echo "[INFO] Downloaded from central: https://central/a.jar';
    const script = [
      'for arg; do case $arg in -DoutputDirectory=*) jars=${arg#*=};; esac; done',
      'mkdir "$jars"',
      `${file} (41 MB at 2.2 MB/s)"`,
      `${file} (500 kB at 2.2 MB/s)"`,
      `while [ ! -e ${folder}/go ]; do sleep 0.05; done`,
      'printf a > "$jars/a.jar"; printf b > "$jars/b.jar"',
      then,
    ];
    writeFileSync(join(folder, 'mvn'), `#!/bin/sh\n${script.join('\n')}\n`, { mode: 0o755 });
    rmSync(join(folder, 'go'), { force: true });
  };

  it('tells of a fetch as it goes on, and of none when the jars are there', async () => {
    maven('echo "[INFO] Downloaded from central: https://central/b.pom (512 B at 1 kB/s)"');
    const steps: FirstStartStep[] = [];
    const jars = await kafkaJars((progress) => {
      steps.push(progress);
      if (progress.step === 'fetching' && progress.bytes > 0) writeFileSync(join(folder, 'go'), '');
    }, digests);
    expect(steps[0]).toEqual({ step: 'fetching', bytes: 0 });
    expect(steps).toContainEqual({ step: 'fetching', bytes: 41_500_000 });
    expect(steps.at(-1)).toEqual({
      step: 'fetched',
      bytes: 41_500_512,
      seconds: expect.any(Number) as number,
    });
    const downloaded = steps.length;
    expect(await kafkaJars((progress) => steps.push(progress), digests)).toBe(jars);
    expect(steps).toHaveLength(downloaded);
  });

  it.each<[string, string, (jars: string) => void]>([
    ['is another', 'b.jar', (jars) => writeFileSync(join(jars, 'b.jar'), 'c')],
    ['is missing', 'a.jar', (jars) => rmSync(join(jars, 'a.jar'))],
    ['is not in the list', 'c.jar', (jars) => writeFileSync(join(jars, 'c.jar'), '')],
    ['has the name of another', 'a.jar', (jars) => renameSync(join(jars, 'b.jar'), join(jars, 'a.jar'))],
  ])('stops with one line when a jar %s, also one of the cache', async (_title, name, change) => {
    maven('');
    writeFileSync(join(folder, 'go'), '');
    const jars = await kafkaJars(undefined, digests);
    change(jars);
    await expect(kafkaJars(undefined, digests)).rejects.toThrow(
      new RegExp(
        `^Kafka is not started: ${name}.* in ${jars} differs? from docker/kafka/jars\\.sha256\\. .+$`,
      ),
    );
  });

  it('holds what Maven has fetched to the list of the workspace', async () => {
    maven('');
    writeFileSync(join(folder, 'go'), '');
    await expect(kafkaJars()).rejects.toThrow(/^Kafka is not started: .+ and \d+ other jars in .+$/);
  });

  it('quotes the errors of Maven, and leaves nothing behind', async () => {
    maven('echo "[ERROR] no route to host"; exit 1');
    writeFileSync(join(folder, 'go'), '');
    await expect(kafkaJars()).rejects.toThrow(
      "Maven could not fetch Kafka's jars:\n[ERROR] no route to host",
    );
    const left = readdirSync(join(process.env['XDG_CACHE_HOME']!, 'three-services'));
    expect(left).toEqual([expect.stringMatching(/\.locked$/)]);
  });
});

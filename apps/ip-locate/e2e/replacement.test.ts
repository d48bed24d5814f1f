import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@workspace/testing';
import { cityMmdb, DAY, EPOCH } from '../test/databases.ts';
import { damaged } from '../test/damage.ts';
import { keyFile } from './key-file.ts';
import { type RunningService, startService } from './service.ts';

/** Sends requests over eight connections without a pause, until it is stopped. */
const load = (url: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const answers = new Map<string, number>();
  const faults: string[] = [];
  let running = true;
  const ask = (path: string) =>
    new Promise<void>((resolve) => {
      get(url + path, { agent }, (reply) => {
        let body = '';
        reply.on('data', (chunk) => (body += String(chunk)));
        reply.on('end', () => {
          if (reply.statusCode !== 200) faults.push(`${reply.statusCode} ${body}`);
          else answers.set(body, (answers.get(body) ?? 0) + 1);
          resolve();
        });
      }).on('error', (error) => {
        faults.push(String(error));
        resolve();
      });
    });
  const workers = Array.from({ length: 8 }, async (_, worker) => {
    for (let i = 0; running; i++)
      await ask(i % 2 ? '/80.1.2.3/city/' : `/81.${(worker * 31 + i) % 256}.0.1/country/`);
  });
  return {
    answers,
    async stop() {
      running = false;
      await Promise.all(workers);
      agent.destroy();
      return faults;
    },
  };
};

describe('a running server under load while its file is replaced', () => {
  let folder: string;
  let path: string;
  let service: RunningService;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ip-locate-'));
    path = join(folder, 'City.mmdb');
    writeFileSync(path, cityMmdb());
    service = await startService({ DATABASE_PATH: path, FILE_POLL_MS: '500' });
  });
  afterEach(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const opened = () => service.nextLine('data files loaded');
  const rejected = () => service.nextLine('data files not loaded: the previous version stays in use');
  const state = async () => {
    const { status, checks } = await service.health();
    return { status, ...checks['database:city']?.[0] };
  };
  /** As geoipupdate does: write beside it, then rename. */
  const replace = (content: Buffer | string) => {
    writeFileSync(`${path}.new`, content);
    renameSync(`${path}.new`, path);
  };
  const newer = cityMmdb({
    epoch: EPOCH + DAY,
    entries: [
      ['80.0.0.0/8', { city: { names: { en: 'Newtown' } } }],
      ['81.0.0.0/8', { country: { iso_code: 'DE' } }],
    ],
  });

  it('garbage, a damaged one, nothing, a newer one: no failed answer, and /health has the error', async () => {
    const traffic = load(service.url);
    const faults: [Buffer | string, string][] = [
      ['garbage'.repeat(10_000), 'the file is not a MaxMind-format database, or only part of one'],
      [damaged.zeroedTree(cityMmdb()), 'the search tree is damaged: a path does not end'],
    ];
    for (const [content, fault] of faults) {
      const seen = rejected();
      replace(content);
      await seen;
      expect(await state()).toMatchObject({
        status: 'warn',
        output: fault,
        lastLoad: { outcome: 'rejected' },
      });
    }
    let seen = rejected();
    rmSync(path);
    await seen;
    expect(await state()).toMatchObject({ status: 'warn', lastLoad: { outcome: 'missing' } });

    expect([...traffic.answers.keys()].sort()).toEqual(['DE', 'Munich']);
    seen = opened();
    replace(newer);
    await seen;
    expect(await (await fetch(`${service.url}/80.1.2.3/city/`)).text()).toBe('Newtown');
    expect(await state()).toMatchObject({
      builtAt: '2026-11-02T00:00:00.000Z',
      lastLoad: { outcome: 'loaded' },
    });
    expect(await traffic.stop()).toEqual([]);
    const answered = [...traffic.answers.values()].reduce((sum, count) => sum + count, 0);
    expect(answered).toBeGreaterThan(100);
  });
});

describe('a running server while files that decide who may ask are overwritten in place', () => {
  it('goes on with the rules and the keys that were there before', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ip-locate-'));
    const rules = join(folder, 'rules');
    writeFileSync(rules, 'deny all\n');
    const keys = keyFile({ 'key-of-a-client': '' });
    const service = await startService({
      GEO_RULES: rules,
      API_KEYS_FILE: keys.path,
      API_KEY_REQUIRED: 'true',
      FILE_POLL_MS: '100',
    });
    const statuses = async () => {
      const url = `${service.url}/8.8.8.8/city?key=key-of-a-client`;
      return (await Promise.all([fetch(`${service.url}/auth`), fetch(url)])).map(({ status }) => status);
    };
    try {
      // As `generate > rules` does: the file is empty until the first line comes.
      const emptied = performance.now();
      for (const path of [rules, keys.path]) writeFileSync(path, '');
      // That has no effect for a second: what a busy machine answers later says nothing.
      for (let poll = 0; poll < 8; poll++) {
        await sleep(50);
        const seen = String(await statuses());
        if (performance.now() - emptied < 900) expect(seen).toBe('403,200');
      }
      writeFileSync(rules, 'allow all\n');
      keys.write({ 'key-of-a-client': '' });
      await eventually('new rules', async () => String(await statuses()) === '200,200');
    } finally {
      await service.stop();
      keys.remove();
      rmSync(folder, { recursive: true });
    }
  });

  it('has metrics that say which newer ones are invalid', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ip-locate-'));
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const keys = keyFile({ 'key-of-a-client': '' });
    const service = await startService({
      GEO_RULES: file('rules', 'deny all\n'),
      OVERLAY_PATH: file('overlay', 'network\n'),
      API_KEYS_FILE: keys.path,
      FILE_POLL_MS: '100',
      MANAGEMENT_PORT: '0',
    });
    const { address } = await service.logged('management listening');
    const failed = async () =>
      [
        ...(await (await fetch(`${address}/metrics`)).text()).matchAll(/load_failed\{database="(.*)"\} 1/g),
      ].map(([, name]) => name);
    try {
      expect(await failed()).toEqual([]);
      for (const path of [join(folder, 'rules'), join(folder, 'overlay'), keys.path])
        writeFileSync(path, 'none\n');
      await service.logged('data files not loaded: the previous version stays in use', 3);
      expect(await failed()).toEqual(['overlay', 'rules', 'keys']);
    } finally {
      await service.stop();
      keys.remove();
      rmSync(folder, { recursive: true });
    }
  });
});

import { mkdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { umask } from 'node:process';
import { parseArgs } from 'node:util';
import { exclusively } from '@workspace/file-lock';
import { type Command, CommandRejected, onlyPositional, required, UsageError } from '@workspace/release-cli';
import type { OpenService } from '../../cli/command-option.ts';
import { exportedPaths } from './export-requests.ts';
import { headersFile, nginxMaps, nginxServer, redirectsFile } from './nginx.ts';
import { type ExportedFiles, exportedFiles, manifestText } from './manifest.ts';
import { renderExport, SITE_FOLDER } from './render.ts';
import { DAY_MS, midnightOf } from '../../domain/utc-day.ts';
import { filesBelow, ifPresent, Tree } from './tree.ts';

const OPTIONS = {
  data: { type: 'string' },
  'base-url': { type: 'string' },
  at: { type: 'string' },
  'nginx-root': { type: 'string' },
} as const;

const MANIFEST = 'export.json';
const CHECKSUMS = 'SHA256SUMS';
/** It also marks the folder of a first export that was not completed. */
const LOCK = 'export.lock';
const OWN_FOLDERS = [SITE_FOLDER, 'nginx'];

/** Writes everything the service answers on a day as files. At the next midnight in UTC, states and dates change: they are for no longer. */
export const exportCommand = (openService: OpenService): Command => ({
  summary: 'write everything the service answers today as files, for any web server',
  usage: `usage: export <folder> --base-url <URL> [options]
  <folder>              new, or an earlier export, of which unchanged files keep their time
  --base-url <URL>      where the public will find it; the other settings are those of the service
  --at <time>           the answers of the day of this time, such as 2026-12-31T00:00:00Z; default: now
  --nginx-root <path>   the folder as nginx sees it; default: its path here`,
  options: [...Object.keys(OPTIONS)],
  afterFailure: 'The export is incomplete: run the command again.',
  example: 'export mirror --base-url https://releases.example',
  run: async (args, { terminal, folder, version, now }) => {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    const target = onlyPositional(positionals, 'folder of the export');
    const at = values.at === undefined ? now : instantOption(values.at);
    const validUntil = new Date(midnightOf(at).getTime() + DAY_MS);
    await expectExport(target);
    const service = await openService({
      folder: values.data ?? folder,
      baseUrl: required(values['base-url'], '--base-url'),
      version,
      now: at,
    });
    try {
      await mkdir(target, { recursive: true });
      await allowReaders(target);
      return await exclusively(join(target, LOCK), async () => {
        const before = await exportedBefore(target);
        const tree = new Tree(target);
        const rendering = await renderExport(service, tree, before.urls, terminal.progress);
        const { revision } = service.catalogue;
        await tree.put(`${SITE_FOLDER}/_headers`, headersFile(rendering), revision);
        await tree.put(`${SITE_FOLDER}/_redirects`, redirectsFile(rendering), revision);
        const root = values['nginx-root'] ?? resolve(target);
        await tree.put(
          'nginx/http.conf',
          nginxMaps(rendering, validUntil, exportedPaths(service.routes)),
          revision,
        );
        await tree.put('nginx/server.conf', nginxServer(rendering, root), revision);
        // Last: who follows it finds all files that it names.
        await tree.put(
          MANIFEST,
          manifestText(rendering, { at, validUntil }, service.catalogue, values['base-url']!),
          at,
        );
        await tree.put(CHECKSUMS, tree.checksums, at);
        // A server that has not read its new configuration yet still asks for the files of the old one.
        const removed = await tree.prune(OWN_FOLDERS, new Set(before.files));
        terminal.out(
          `${rendering.answers.length} answers and ${rendering.redirects.length} redirects, right until ${validUntil.toISOString()}: export again then`,
        );
        terminal.out(`${tree.size} files: ${tree.written} written, ${removed} removed`);
        return 0;
      });
    } finally {
      await service.close();
    }
  },
});

/** @throws CommandRejected when the folder has other files, which an export would remove */
const expectExport = async (folder: string): Promise<void> => {
  // Read once: another export may begin to write here at this moment.
  const files = await filesBelow(folder, '.');
  if (files.length > 0 && !files.includes(MANIFEST) && !files.includes(LOCK))
    throw new CommandRejected(`${folder} has files that are no export: name a new folder.`);
};

/** From now on, whoever can read the folder, such as nginx, can read what this process writes into it, whatever the umask is. */
const allowReaders = async (folder: string): Promise<void> => {
  const { mode } = await stat(folder);
  umask((umask(0) & 0o222) | (~mode & 0o555));
};

/** What the export before has in this folder. */
const exportedBefore = async (folder: string): Promise<ExportedFiles> => {
  const text = await ifPresent(readFile(join(folder, MANIFEST), 'utf8'));
  return text === undefined ? { urls: [], files: [] } : exportedFiles(text);
};

const instantOption = (text: string): Date => {
  const instant = new Date(text);
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(text) && !Number.isNaN(instant.getTime());
  // JavaScript takes 30 February for 2 March.
  if (!isTime || !instant.toISOString().startsWith(text.slice(0, -1)))
    throw new UsageError(`--at is a time in UTC like 2026-12-31T00:00:00Z, not "${text}".`);
  return instant;
};

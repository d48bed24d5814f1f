import type { Catalogue } from '@workspace/release-catalogue';
import type { Instant } from './instants.ts';
import { Numbers } from './numbers.ts';
import { type Rendering, urlOf } from './render.ts';

/** `export.json`: which file is the answer to what, and from when. */
export const manifestText = (
  { answers, redirects }: Rendering,
  instants: readonly Instant[],
  { revision }: Catalogue,
  baseUrl: string,
): string => {
  const timeOf = (index: number): string => instants[index]!.from.toISOString();
  const sets = new Numbers();
  const manifest = {
    schema_version: '1.0',
    base_url: baseUrl,
    revision: revision.toISOString(),
    from: timeOf(0),
    /** the last change that it knows */
    last_change: timeOf(instants.length - 1),
    answers: Object.fromEntries(
      answers.map(({ request, versions }) => [
        urlOf(request),
        versions.map(({ instant, file, etag, bytes, headers }) => ({
          from: timeOf(instant),
          file,
          ...(file !== null && { etag, bytes, headers: sets.of(JSON.stringify(headers)) }),
        })),
      ]),
    ),
    redirects: Object.fromEntries(
      redirects.map(({ path, status, location, keepsQuery }) => [
        path,
        { status, location, keeps_query: keepsQuery },
      ]),
    ),
  };
  const headers = sets.values.map((text) => JSON.parse(text) as object);
  return `${JSON.stringify({ ...manifest, headers })}\n`;
};

/** What an export has. */
export interface ExportedFiles {
  /** paths and queries */
  readonly urls: readonly string[];
  /** of their answers, below the folder of the export */
  readonly files: readonly string[];
}

export const exportedFiles = (manifest: string): ExportedFiles => {
  const { answers } = JSON.parse(manifest) as { answers: Record<string, { file: string | null }[]> };
  const files = Object.values(answers).flatMap((versions) => versions.flatMap(({ file }) => file ?? []));
  return { urls: Object.keys(answers), files: files.flatMap((file) => [file, `${file}.gz`, `${file}.br`]) };
};

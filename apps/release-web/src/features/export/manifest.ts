import type { Catalogue } from '@workspace/release-catalogue';
import { type Rendering, urlOf } from './render.ts';

/** Numbers for texts, in the order in which they are seen first. */
export class Numbers {
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }

  get values(): string[] {
    return [...this.#numbers.keys()];
  }
}

/** `export.json`: which file is the answer to what, and until when. */
export const manifestText = (
  { answers, redirects }: Rendering,
  { at, validUntil }: { readonly at: Date; readonly validUntil: Date },
  { revision }: Catalogue,
  baseUrl: string,
): string => {
  const sets = new Numbers();
  const manifest = {
    schema_version: '1.0',
    base_url: baseUrl,
    revision: revision.toISOString(),
    at: at.toISOString(),
    valid_until: validUntil.toISOString(),
    answers: Object.fromEntries(
      answers.map(({ request, file, etag, bytes, headers }) => [
        urlOf(request),
        { file, etag, bytes, headers: sets.of(JSON.stringify(headers)) },
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
  const { answers } = JSON.parse(manifest) as { answers: Record<string, { file: string }> };
  const files = Object.values(answers).map(({ file }) => file);
  return { urls: Object.keys(answers), files: files.flatMap((file) => [file, `${file}.gz`, `${file}.br`]) };
};

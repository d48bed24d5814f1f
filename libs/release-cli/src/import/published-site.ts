import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { CveId, PreRelease, Published } from '@workspace/release-catalogue';
import { readJson } from '../http-json.ts';
import { CommandRejected } from '../terminal.ts';

/** What a site like php.net publishes, as it stores it. */
export interface PublishedSite {
  /** its public address */
  readonly address: string;
  /** every release by its version */
  readonly releases: ReadonlyMap<string, Published>;
  /** the release on offer by its branch; undefined when the site does not answer */
  readonly current: ReadonlyMap<string, string> | undefined;
  /** ascending; undefined when the site does not answer */
  readonly slots: readonly PreRelease[] | undefined;
  /** by branch; undefined when the site does not answer */
  readonly support: ReadonlyMap<string, PublishedSupport> | undefined;
  /** CVE ids by the release since which they are fixed; undefined when the site has none, as php.net */
  readonly fixes: ReadonlyMap<string, readonly string[]> | undefined;
  /** what could not be read or is in a shape that the data has no room for, one line each */
  readonly unreadable: readonly string[];
}

/** ISO dates; null: not known. */
export interface PublishedSupport {
  readonly initialRelease: string | null;
  readonly activeSupportEnd: string | null;
  readonly securitySupportEnd: string | null;
}

type Json = Record<string, unknown>;

/** Reads the JSON of one path of a site, without a slash at its beginning. @throws CommandRejected when it cannot be read */
export type ReadPath = (path: string) => Promise<unknown>;

/**
 * Reads a site by HTTP.
 * @param site its public address
 * @param redirected hears once of each other server that answers instead
 */
export const httpReader = (site: string, redirected: (origin: string) => void): ReadPath => {
  const origins = new Set<string>();
  return (path) =>
    readJson(new URL(path, site.endsWith('/') ? site : `${site}/`).href, (origin) => {
      if (!origins.has(origin)) redirected(origin);
      origins.add(origin);
    });
};

/**
 * Reads what a site publishes: php.net itself, or another release-web that answers pre-releases as php.net does.
 * @param site its public address
 * @throws CommandRejected when it cannot be reached or its releases are something else
 */
export const readPublishedSite = async (site: string, read: ReadPath): Promise<PublishedSite> => {
  const majors = Object.keys(await getObject(read, 'releases/index.php?json'));
  const releases = new Map<string, Published>();
  const unreadable: string[] = [];
  for (const major of majors) {
    const table = await getObject(
      read,
      `releases/index.php?json&version=${encodeURIComponent(major)}&max=-1`,
    );
    for (const [version, published] of Object.entries(table)) {
      if (Value.Check(Published, published)) releases.set(version, published);
      else unreadable.push(unreadableText(version, Published, published));
    }
  }
  /** php.net's endpoints fail one by one: without these two there are still releases to take over. */
  const getIfPossible = (path: string): Promise<Json | undefined> =>
    getObject(read, path).catch((error: unknown) => {
      if (!(error instanceof CommandRejected)) throw error;
      unreadable.push(`not readable: ${error.message}`);
      return undefined;
    });
  const active = await getIfPossible('releases/active.php');
  const current = active && new Map(currentVersions(active));
  const keyed = await getIfPossible('pre-release-builds.php?format=json');
  const slots =
    keyed &&
    storedSlots(keyed).filter((slot) => {
      const { version } = slot;
      const isReadable = Value.Check(PreRelease, slot);
      if (!isReadable) unreadable.push(unreadableText(version, PreRelease, slot));
      return isReadable;
    });
  return {
    address: site,
    releases,
    current,
    slots,
    support: await read('releases/branches.php').then(supportOf, unlessRejected),
    fixes: await read('api/v1/security').then(fixesOf, unlessRejected),
    unreadable,
  };
};

/** What a site need not have. */
const unlessRejected = (error: unknown): undefined => {
  if (!(error instanceof CommandRejected)) throw error;
};

const Day = Type.Union([Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT' }), Type.Null()]);
const Branches = Type.Array(
  Type.Object({
    branch: Type.String(),
    initial_release: Day,
    active_support_end: Day,
    security_support_end: Day,
  }),
);

/** From the answer of `branches.php`. */
const supportOf = (answer: unknown): PublishedSite['support'] =>
  Value.Check(Branches, answer)
    ? new Map(
        answer.map(({ branch, initial_release, active_support_end, security_support_end }) => [
          branch,
          {
            initialRelease: initial_release?.slice(0, 10) ?? null,
            activeSupportEnd: active_support_end?.slice(0, 10) ?? null,
            securitySupportEnd: security_support_end?.slice(0, 10) ?? null,
          },
        ]),
      )
    : undefined;

const Security = Type.Object({
  items: Type.Array(
    Type.Object({
      cve: CveId,
      // null: the release that fixed it was withdrawn.
      fixed_since: Type.Array(Type.Object({ version: Type.Union([Type.String(), Type.Null()]) })),
    }),
  ),
});

/** From another release-web's list of vulnerabilities. */
const fixesOf = (answer: unknown): PublishedSite['fixes'] => {
  if (!Value.Check(Security, answer)) return undefined;
  const fixes = new Map<string, string[]>();
  // The list begins with the newest id, a release with the oldest.
  for (const { cve, fixed_since } of [...answer.items].reverse())
    for (const { version } of fixed_since)
      if (version !== null) fixes.set(version, [...(fixes.get(version) ?? []), cve]);
  return fixes;
};

/** From `{major: {branch: {version, …}}}`. */
const currentVersions = (active: Json): (readonly [branch: string, version: string])[] =>
  Object.values(active).flatMap((branches) =>
    Object.entries((branches ?? {}) as Record<string, { version?: string } | null>).flatMap(
      ([branch, release]) => (release?.version === undefined ? [] : [[branch, release.version] as const]),
    ),
  );

const unreadableText = (
  version: string,
  schema: typeof Published | typeof PreRelease,
  value: unknown,
): string => {
  const first = Value.Errors(schema, value).First();
  return `not understood: ${version}${first ? ` ${first.path}: ${first.message}` : ''}`;
};

const getObject = async (read: ReadPath, path: string): Promise<Json> => {
  const value = await read(path);
  // PHP writes an empty map as a list.
  if (Array.isArray(value) && value.length === 0) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    if (!('error' in value)) return value as Json;
  }
  throw new CommandRejected(`${path} is not an object as php.net answers it.`);
};

/** What the pre-release endpoint adds to the builds it stores; computed again from the facts, so never imported. */
const DERIVED_BUILD_MEMBERS = new Set(['version', 'files', 'enabled']);
const DERIVED_SLOTS = new Set(['reported', 'releases']);

/** The slots that php.net stores, in its order, of what its pre-release endpoint answers. */
export const storedSlots = (keyed: Readonly<Record<string, unknown>>): PreRelease[] =>
  Object.entries(keyed).flatMap(([version, slot]) =>
    DERIVED_SLOTS.has(version) ? [] : [preRelease(version, slot as Partial<PreRelease> | null)],
  );

/** Whatever is stored, put as a slot: whether it is one is for the schema to say. */
const preRelease = (version: string, slot: Partial<PreRelease> | null): PreRelease => ({
  version,
  active: slot?.active as boolean,
  release: Object.fromEntries(
    Object.entries(slot?.release ?? {}).filter(([member]) => !DERIVED_BUILD_MEMBERS.has(member)),
  ) as PreRelease['release'],
});

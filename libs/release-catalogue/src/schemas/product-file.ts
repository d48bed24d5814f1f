import { type Static, Type } from '@sinclair/typebox';
import { BranchName, exact, Instant, Uri, WebAddress } from './scalars.ts';
import { SigningKey } from './signing-key.ts';

/** `product.json`: whose releases these are, and the names its readers already know it by. */
export const ProductFile = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    updated: Instant,
    name: Type.String({ minLength: 1, examples: ['PHP'] }),
    identifiers: Type.Optional(
      Type.Array(
        Type.Object(
          {
            type: Type.String({ pattern: '^[a-z0-9-]+$', examples: ['purl', 'cpe', 'repology'] }),
            id: Type.String({ minLength: 1, examples: ['pkg:generic/php', 'cpe:2.3:a:php:php'] }),
          },
          exact,
        ),
        { description: 'what scanners and inventories know the product by' },
      ),
    ),
    version_command: Type.Optional(
      Type.String({ minLength: 1, description: 'what an installation tells its version with' }),
    ),
    release_policy: Type.Optional({
      ...WebAddress,
      description: 'the page about how long branches are supported',
    }),
    pages: Type.Optional(
      Type.Object(
        {
          announcement: Type.Optional({
            ...WebAddress,
            description: 'the release notes of a release that has some',
            examples: ['https://www.php.net/releases/{version_}.php'],
          }),
          changelog: Type.Optional({
            ...WebAddress,
            examples: ['https://www.php.net/ChangeLog-{major}.php#{version}'],
          }),
          keys: Type.Optional({
            ...WebAddress,
            description: 'the fingerprints of the keys that sign the releases of a branch',
            examples: ['https://www.php.net/gpg-keys.php#gpg-{branch}'],
          }),
          keyring: Type.Optional({ ...WebAddress, description: 'a file with these keys' }),
          windows: Type.Optional({ ...WebAddress, description: 'downloads for Windows' }),
        },
        {
          ...exact,
          description:
            'pages elsewhere about a release: {version} is 8.4.24, {version_} is 8_4_24, {branch} is 8.4, {major} is 8',
        },
      ),
    ),
    docker_image: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9-]+$',
        description: "the Docker Official Image that follows the releases; its tags are php's",
        examples: ['php'],
      }),
    ),
    signing_keys: Type.Optional(
      Type.Array(SigningKey, { description: 'the keys that release managers sign releases with' }),
    ),
    feed: Type.Object(
      {
        id: { ...Uri, description: 'never derived from where the service runs: readers know the feed by it' },
        title: Type.String({ minLength: 1 }),
        author: Type.Object({ name: Type.String(), uri: WebAddress, email: Type.String() }, exact),
        icon: WebAddress,
        release_id: { ...Uri, description: '{version_} is 8_4_24, {version} is 8.4.24' },
        unannounced_id: { ...Uri, description: 'the id of a release without an announcement' },
      },
      exact,
    ),
    downloads: Type.Object(
      {
        releases: {
          ...WebAddress,
          description: 'the folder of released archives, where /distributions/ leads to',
          examples: ['https://www.php.net/distributions/'],
        },
        filename: Type.String({
          pattern: '^(?=.*\\{version\\})(?=.*\\{archive\\})[^/]+$',
          description: 'how the archives of releases and builds are called; {archive} is gz, bz2 and xz',
          examples: ['php-{version}.tar.{archive}'],
        }),
        builds: {
          ...WebAddress,
          description: 'the folder of pre-release builds, one per release manager',
          examples: ['https://downloads.php.net/~{manager}/'],
        },
        managers: Type.Record(BranchName, Type.Array(Type.String({ pattern: '^[a-z0-9_-]+$' })), {
          ...exact,
          description: 'who may publish builds of a branch',
        }),
      },
      exact,
    ),
  },
  { ...exact, $id: 'product', title: 'release-web: the product' },
);
export type ProductFile = Static<typeof ProductFile>;
